//! The store over a real database file.

mod fixture;
mod idempotency;
mod lists;
mod model;
mod model_test;
mod race;
mod records;
pub mod snapshot;
