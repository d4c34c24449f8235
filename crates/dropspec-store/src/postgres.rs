//! A PostgreSQL database: pooled connections, transactions that are repeated after a conflict, migrations that one of many
//! servers applies, the responses to requests with an idempotency key, and copies to and from another engine.
//!
//! It also runs on databases that speak PostgreSQL's protocol. The tables of an application come with its [`Schema`].

mod channel;
mod config;
mod connection;
mod db;
mod engine;
mod error;
mod idempotency;
mod migrations;
mod outage;
mod pool;
mod row;
mod schema;
mod select;
mod side;
mod sql_error;
mod stats;
mod tls;

/// The types that parameters and columns can have.
pub use tokio_postgres::types;

pub use self::channel::{NotifyChannel, NotifyEvent};
pub use self::config::{PostgresConfig, UrlError};
pub use self::db::{Db, Statement, Work};
pub use self::engine::PostgresEngine;
pub use self::error::OpenError;
pub use self::idempotency::{IDEMPOTENCY_KEYS_SQL, run_idempotent};
pub use self::migrations::read_version;
pub use self::outage::Outage;
pub use self::row::Row;
pub use self::schema::Schema;
pub use self::select::Select;
pub use self::side::PostgresSide;
pub use self::stats::{PoolStats, TransactionStats};
