//! The integration tests of the crate, one module a subject, in one binary.

mod corpus;
mod diagnostics;
mod document;
mod robustness;
mod spec;
