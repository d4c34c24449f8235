//! The generators of clients: our own, and progenitor.

pub(crate) mod deprecation;
pub(crate) mod own;
pub(crate) mod progenitor;
