//! A server kit for generated interfaces. Every request of the public listener passes the gate, which routes,
//! authenticates, limits, decodes, validates and dispatches it.
//!
//! A service implements the generated API trait and [`Service`]; the program of a service starts a server with its gate. [`ApiKeys`] stores keys,
//! usage and bans in the database of the service, SQLite or PostgreSQL. The extensions `x-rate-limits`, `x-error-codes`, `x-required-access`,
//! `x-rate-limit-cost`, `x-max-body-bytes` and `x-stability` are optional. An operation is public if its `security` (or
//! that of the document) is absent, empty, or lists `{}`: in a document without `security` all operations are public. Any
//! other is called only with the identities that the service's [`Authenticate`](auth::Authenticate) returned.

pub mod activity;
mod api_keys;
pub mod auth;
pub mod base_path;
pub mod call;
pub mod conditional;
pub mod cors;
pub mod database;
pub mod error;
pub mod gate;
pub mod keys;
pub mod logging;
pub mod message_page;
pub mod metrics;
pub mod operation_usage;
pub mod recent_requests;
pub mod reference;
pub mod request_policy;
mod request_streams;
pub mod traces;

pub use base_path::BasePath;
pub use call::Call;
pub use cors::CorsOrigin;
pub use database::{Database, DatabaseConfig};
pub use dropspec_rate_limit::{self as rate_limit, clock, storage_error};
pub use dropspec_schema::wire::server_sent_events;
pub use gate::{Gate, Identity, Service};
pub use keys::ApiKeys;
pub use request_policy::RequestPolicy;

#[cfg(feature = "redis")]
pub use crate::api_keys::redis_ledger;
pub use crate::logging::server_name::ServerName;
pub use crate::logging::{request_log, server_name};
