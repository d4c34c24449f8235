//! The store as its callers know it, over a real database file.

mod fixture;
mod idempotency;
mod lists;
mod model;
mod race;
mod records;
mod rules_hold;
pub mod snapshot;
