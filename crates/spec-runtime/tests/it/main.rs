//! The integration tests of the crate, one module a subject, in one binary.

mod emitted;
mod properties;
