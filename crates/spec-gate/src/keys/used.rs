//! What keys have used of the current windows, as the database has counted it: for a ledger elsewhere that counts from now on.

use postgres_engine::EngineError as PostgresError;
use rusqlite::Row;
use sqlite_engine::EngineError;

use super::postgres::PostgresKeys;
use super::table::{ApiKeys, Tables};
use crate::rate_limit::{Adjustment, Now, Window};
use crate::storage_error::StorageError;

/// The rows of windows that have not ended. Those of a key follow each other.
macro_rules! select {
    ($minute:literal, $day:literal) => {
        concat!(
            "SELECT key_id, \"window\", start, claimed FROM usage WHERE claimed > 0 AND start >= CASE \"window\" WHEN 'minute' THEN ",
            $minute,
            " ELSE ",
            $day,
            " END ORDER BY key_id, \"window\" DESC"
        )
    };
}

impl ApiKeys {
    /// Reads what is claimed of the windows at `now`, as adjustments that make it known and claim nothing.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_used(&self, now: &Now) -> Result<Vec<Adjustment>, StorageError> {
        let starts = Window::ALL.map(|window| now.start_of(window));
        let engine = sqlite_or_return!(self.tables, keys => keys.read_used(starts));
        let used = engine.read(|db| {
            let mut select = db.prepare(select!("?1", "?2"))?;
            let read = |row: &Row<'_>| {
                let window: String = row.get(1)?;
                Ok(known(row.get(0)?, &window, row.get(2)?, row.get(3)?))
            };
            let used = select.query_map(starts, read)?;
            Ok::<_, EngineError>(used.collect::<rusqlite::Result<_>>()?)
        });
        used.map_err(EngineError::into)
    }
}

impl PostgresKeys {
    async fn read_used(&self, starts: [i64; 2]) -> Result<Vec<Adjustment>, PostgresError> {
        let read = self.engine.read(&starts, |db, [minute, day]| {
            Box::pin(async move {
                db.query(select!("$1::bigint", "$2::bigint"), &[minute, day])
                    .await
            })
        });
        let rows = read.await?;
        let used = rows.iter().map(|row| {
            let window: String = row.get(1)?;
            Ok(known(row.get(0)?, &window, row.get(2)?, row.get_count(3)?))
        });
        used.collect()
    }
}

fn known(key_id: i64, window: &str, start: i64, used: u64) -> Adjustment {
    Adjustment {
        key_id,
        window: if window == Window::Minute.as_str() {
            Window::Minute
        } else {
            Window::Day
        },
        start,
        amount: 0,
        least: 0,
        leased: 0,
        used,
        limit: u64::MAX,
        last_seen: None,
    }
}
