//! Integration tests of the crate.

mod corpus;
mod diagnostics;
mod document;
mod robustness;
mod spec;
