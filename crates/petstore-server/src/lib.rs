//! The petstore service: the operations of `spec/petstore.yaml` over a SQLite database, behind the gate of `spec-gate`.

pub mod api;
pub mod categories;
pub mod error;
pub mod inventory;
pub mod orders;
pub mod pet_status;
pub mod pets;
pub mod rule_violation;
mod same_fields;
pub mod server;
pub mod store;
