//! The generators of clients: our own, and progenitor with adaptations.

pub(crate) mod deprecation;
pub(crate) mod own;
pub(crate) mod progenitor;
