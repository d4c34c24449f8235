//! The store over real databases: every test runs on each kind of database.

pub mod fixture;
mod model;
mod model_test;
mod race;
mod records;
pub mod snapshot;
