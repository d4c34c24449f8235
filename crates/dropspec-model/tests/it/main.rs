//! Integration tests of the crate.

mod corpus;
mod diagnostics;
mod document;
mod mended;
mod robustness;
mod spec;
mod syntax;
