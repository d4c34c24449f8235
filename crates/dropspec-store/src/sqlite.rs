//! A SQLite database with concurrent readers and one writer that commits in groups.
//!
//! The engine opens, locks and migrates the database, copies it beside a running server, restores copies, is one side of a
//! copy to another engine, and stores the responses to requests with an idempotency key. The tables of an application come with its [`Schema`].

mod access;
mod backup;
mod config;
mod copy;
mod data_version;
mod engine;
mod error;
mod fault;
mod health;
mod idempotency;
mod job;
mod lock;
mod migration;
mod migrations;
mod open;
mod probe;
mod restore;
mod schema;
mod select;
mod side;
mod standing_read;
mod stats;
mod writer;

/// The library that statements are written for.
pub use rusqlite;

pub use self::backup::back_up;
pub use self::config::EngineConfig;
pub use self::data_version::DataVersion;
pub use self::engine::Engine;
pub use self::error::OpenError;
pub use self::fault::Fault;
pub use self::idempotency::{IDEMPOTENCY_KEYS_SQL, run_idempotent};
pub use self::migration::{Migration, read_version};
pub use self::restore::restore;
pub use self::schema::Schema;
pub use self::select::Select;
pub use self::side::SqliteSide;
pub use self::stats::{PoolStats, WriterStats};
