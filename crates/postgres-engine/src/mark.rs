//! The mark of an unfinished copy: a table with one row. A server refuses a database that has it.

use engine_types::EngineError;
use engine_types::transfer::UNFINISHED_COPY;

use crate::db::{Db, at_most_one};

/// What the mark says.
pub(crate) struct Mark {
    /// The database from which rows are copied.
    pub(crate) source: String,
    /// Whether rows have been copied.
    pub(crate) has_begun: bool,
}

/// Reads the mark; `None` if there is none.
pub(crate) async fn read(db: &Db) -> Result<Option<Mark>, EngineError> {
    let exists = "SELECT to_regclass($1) IS NOT NULL";
    let exists = at_most_one(db.query(exists, &[&UNFINISHED_COPY]).await?)?;
    if !exists.map_or(Ok(false), |row| row.get(0))? {
        return Ok(None);
    }
    let select = format!("SELECT source, has_begun FROM {UNFINISHED_COPY}");
    let row = at_most_one(db.query(&select, &[]).await?)?;
    row.map(|row| {
        Ok(Mark {
            source: row.get(0)?,
            has_begun: row.get(1)?,
        })
    })
    .transpose()
}

/// Marks the database as a copy from `source`, before it has any table.
pub(crate) async fn create(db: &Db, source: &str) -> Result<(), EngineError> {
    // One statement, so that there is no mark without its row.
    let create = format!(
        "CREATE TABLE {UNFINISHED_COPY} AS SELECT {}::text AS source, FALSE AS has_begun",
        quote_literal(source)
    );
    db.query(&create, &[]).await.map(|_| ())
}

/// A text in SQL, where a parameter is not possible.
fn quote_literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "''");
    format!("E'{escaped}'")
}
