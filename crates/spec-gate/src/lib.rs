//! A server kit for generated interfaces. Every request of the public listener passes the gate, which routes,
//! authenticates, limits, decodes, validates and dispatches it. A second listener serves health and metrics.
//!
//! A service implements the generated API trait and [`Service`], then starts with [`Setup`]. [`ApiKeys`] stores keys,
//! usage and bans in the database of the service, SQLite or PostgreSQL. The extensions `x-rate-limits`, `x-error-codes`, `x-required-access`,
//! `x-rate-limit-cost`, `x-max-body-bytes` and `x-stability` are optional. An operation is public if its `security` (or
//! that of the document) is absent, empty, or lists `{}`: in a document without `security` all operations are public. Any
//! other is called only with the identities that the service's [`Authenticate`](auth::Authenticate) returned.

mod activity;
pub mod auth;
pub mod base_path;
pub mod call;
pub mod conditional;
pub mod cors;
pub mod database;
pub mod error;
pub mod gate;
pub mod keys;
#[cfg(target_os = "linux")]
mod listening_socket;
pub mod logging;
mod message_page;
mod metrics;
pub mod operation_usage;
pub mod operator_token;
mod panel;
pub mod program;
pub mod reference;
pub mod request_log;
mod request_streams;
pub mod server;
pub mod server_name;
mod server_sent_events;
pub mod settings;
pub mod tls;
pub mod traces;

pub use ::rate_limit::{self, clock, storage_error};
pub use api_keys::redis_ledger;
pub use base_path::BasePath;
pub use call::Call;
pub use cors::CorsOrigin;
pub use database::{Database, DatabaseConfig};
pub use gate::{Gate, Identity, Service};
pub use keys::ApiKeys;
pub use operator_token::OperatorToken;
pub use program::{Program, ProgramSettings};
pub use server::{DatabaseFailed, EXIT_STOP_TIMEOUT, Server, Setup, Signals};
pub use server_name::ServerName;
pub use settings::Settings;
