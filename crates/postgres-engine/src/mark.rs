//! The mark of an unfinished copy: a table with one row. A server refuses a database that has it.

use engine_types::EngineError;
use engine_types::transfer::UNFINISHED_COPY;

use crate::db::{Db, at_most_one};

/// The database from which an unfinished copy is made; `None` if there is no mark.
pub(crate) async fn read(db: &Db) -> Result<Option<String>, EngineError> {
    let exists = "SELECT to_regclass($1) IS NOT NULL";
    let exists = at_most_one(db.query(exists, &[&UNFINISHED_COPY]).await?)?;
    if !exists.map_or(Ok(false), |row| row.get(0))? {
        return Ok(None);
    }
    let select = format!("SELECT source FROM {UNFINISHED_COPY}");
    let row = at_most_one(db.query(&select, &[]).await?)?;
    row.map(|row| row.get(0)).transpose()
}

/// Marks the database as a copy from `source`, before it has any table.
pub(crate) async fn create(db: &Db, source: &str) -> Result<(), EngineError> {
    // One statement, so that there is no mark without its row.
    let create = format!(
        "CREATE TABLE {UNFINISHED_COPY} AS SELECT {}::text AS source",
        quote_literal(source)
    );
    db.query(&create, &[]).await.map(|_| ())
}

/// A text in SQL, where a parameter is not possible.
fn quote_literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "''");
    format!("E'{escaped}'")
}
