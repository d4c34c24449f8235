//! Tests of the toolchain over corpora of OpenAPI documents, which are not part of the repository. `cargo xtask` runs them.

pub mod conformance;
pub mod corpus;
pub mod fuzz_diff;
pub mod schema_suite;
