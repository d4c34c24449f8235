//! The petstore service: the operations of `spec/petstore.yaml` over a SQLite database, behind the gate of `dropspec-gate`.

// Tests of the store are written alike beside its modules and in `tests`.
#[cfg(test)]
extern crate self as petstore_server;

pub mod api;
pub mod categories;
pub mod error;
pub mod inventory;
pub mod orders;
pub mod pets;
pub mod rule_violation;
pub mod server;
pub mod store;
