//! The petstore service: the operations of `spec/petstore.yaml` over a SQLite
//! store, behind one gate that every request passes.

pub mod api;
pub mod auth;
pub mod call;
pub mod categories;
pub mod cli;
pub mod clock;
pub mod config;
pub mod error;
pub mod gate;
pub mod inventory;
pub mod logging;
pub mod metrics;
pub mod orders;
pub mod panel;
pub mod pet_status;
pub mod pets;
pub mod rate_limit;
pub mod reference;
pub mod rule_violation;
pub mod server;
pub mod service;
pub mod store;
pub mod tls;
