//! What keys have used of the current windows, as the database has counted it: for a ledger elsewhere that counts from now on.

use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{Adjustment, Now, Window};
use dropspec_store::EngineError;

use super::db::{Db, Sqlite, read, run};
use super::engine_error::to_storage_error;
use super::table::{ApiKeys, Tables};

impl ApiKeys {
    /// Reads what is claimed of the windows at `now`, as adjustments that make it known and claim nothing.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_used(&self, now: &Now) -> Result<Vec<Adjustment>, StorageError> {
        let starts = Window::ALL.map(|window| now.start_of(window));
        read!(self.tables, starts, read_used).map_err(to_storage_error)
    }
}

/// The rows of windows that have not ended. Those of a key follow each other.
async fn read_used<D: Db>(
    db: &D,
    [minute, day]: &[i64; 2],
) -> Result<Vec<Adjustment>, EngineError> {
    let select = "SELECT key_id, \"window\", start, claimed FROM usage
        WHERE claimed > 0 AND start >= CASE \"window\" WHEN 'minute' THEN CAST($1 AS bigint) ELSE CAST($2 AS bigint) END
        ORDER BY key_id, \"window\" DESC";
    let rows = db.query(select, &[minute, day]).await?;
    let used = rows.iter().map(|row| {
        let window: String = row.get(1)?;
        let names = |it: &Window| it.as_str() == window;
        let window = Window::ALL.into_iter().find(names).unwrap_or(Window::Day);
        Ok(Adjustment {
            used: row.get_count(3)?,
            ..Adjustment::unchanged(row.get(0)?, window, row.get(2)?)
        })
    });
    used.collect()
}
