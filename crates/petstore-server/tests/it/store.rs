//! The store over a real database file.

pub mod fixture;
mod idempotency;
mod lists;
mod model;
mod model_test;
mod race;
mod records;
pub mod snapshot;
