//! API keys on PostgreSQL. Several servers may use them at the same time: what one changes holds on all others within
//! [`MAX_AGE`].

mod changes;
mod read;
mod usage;

use std::sync::Arc;
use std::time::{Duration, Instant};

use postgres_engine::PostgresEngine;

use super::table::KeySettings;

/// The SQL migration that creates the tables of API keys and their usage on PostgreSQL.
pub const POSTGRES_API_KEYS_SQL: &str = include_str!("../../migrations/postgres/api_keys.sql");

/// For so long a server uses keys that it has read before it asks whether any has changed.
const MAX_AGE: Duration = Duration::from_millis(500);

/// The tables of API keys in a PostgreSQL database.
#[derive(Debug)]
pub(super) struct PostgresKeys {
    engine: Arc<PostgresEngine>,
    settings: KeySettings,
    start: Instant,
}

impl PostgresKeys {
    pub(super) fn new(engine: Arc<PostgresEngine>, settings: KeySettings) -> PostgresKeys {
        PostgresKeys {
            engine,
            settings,
            start: Instant::now(),
        }
    }

    /// The number of the current period of [`MAX_AGE`]. What is read in a period is used until its end.
    pub(super) fn period(&self) -> u64 {
        let age = self.start.elapsed().as_millis() / MAX_AGE.as_millis();
        u64::try_from(age).unwrap_or(u64::MAX)
    }
}
