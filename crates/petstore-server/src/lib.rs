//! The petstore service: the rules of the store, and the database that keeps it.

pub mod categories;
pub mod inventory;
pub mod orders;
pub mod pets;
pub mod rate_limit;
pub mod refusal;
pub mod store;
