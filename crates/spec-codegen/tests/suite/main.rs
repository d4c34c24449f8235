//! The integration tests of the crate, one module a subject, in one binary.

mod corpus;
mod golden;
mod hard_types;
mod one_more_operation;
mod refusals;
