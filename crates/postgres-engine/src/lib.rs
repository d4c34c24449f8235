//! A PostgreSQL database: pooled connections, transactions that are repeated after a conflict, migrations that one of many
//! servers applies, and the responses to requests with an idempotency key.
//!
//! It also runs on databases that speak PostgreSQL's protocol. The tables of an application come with its [`Schema`].

mod config;
mod connection;
mod db;
mod engine;
mod error;
mod idempotency;
mod migrations;
mod pool;
mod row;
mod schema;
mod select;
mod sql_error;
mod stats;
mod tls;

/// What all engines share.
pub use engine_types::{
    Cause, Created, EngineError, IdempotencyKeyReused, IdempotentRequest, MAX_PAGE, Page,
    PageRequest, REPLAY_PERIOD, canonical_body_hash,
};
/// The types that parameters and columns can have.
pub use tokio_postgres::types;

pub use self::config::{PostgresConfig, UrlError};
pub use self::db::{Db, Statement};
pub use self::engine::{PostgresEngine, Work};
pub use self::error::OpenError;
pub use self::idempotency::{IDEMPOTENCY_KEYS_SQL, run_idempotent};
pub use self::row::Row;
pub use self::schema::Schema;
pub use self::select::Select;
pub use self::stats::{PoolStats, TransactionStats};
