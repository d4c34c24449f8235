//! A SQLite database with concurrent readers and one writer that commits in groups.
//!
//! The engine opens, locks and migrates the database, copies it beside a running server, restores copies, and stores
//! the responses to requests with an idempotency key. The tables of an application come with its [`Schema`].

mod access;
mod backup;
mod body_hash;
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
mod migrations;
mod open;
mod page;
mod probe;
#[cfg(feature = "dropshot")]
mod response;
mod restore;
mod schema;
mod select;
mod standing_read;
mod stats;
mod writer;

/// The library that statements are written for.
pub use rusqlite;

pub use self::backup::back_up;
pub use self::body_hash::canonical_body_hash;
pub use self::config::EngineConfig;
pub use self::data_version::DataVersion;
pub use self::engine::Engine;
pub use self::error::{BackupError, EngineError, OpenError};
pub use self::fault::{Cause, Fault};
pub use self::idempotency::{
    Created, IDEMPOTENCY_KEYS_SQL, IdempotencyKeyReused, IdempotentRequest, REPLAY_PERIOD,
    run_idempotent,
};
pub use self::page::{MAX_PAGE, Page, PageRequest};
#[cfg(feature = "dropshot")]
pub use self::response::OUTCOME_UNKNOWN;
pub use self::restore::restore;
pub use self::schema::Schema;
pub use self::select::Select;
pub use self::stats::{PoolStats, WriterStats};
