//! The generators of clients: our own, and progenitor with adaptations.

pub(crate) mod own;
pub(crate) mod progenitor;
