//! Remembers the text of each migration that was applied, by its hash, so that an edited one is noticed. Without that, a
//! program would run on tables that its migrations do not describe.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::error::OpenError;
use crate::schema::Schema;

/// Not a migration of its own: databases of earlier versions get it too, and the schema version stays.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS applied_migrations (
    version INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID";

/// Remembers the migrations of a schema, all of which were applied. Those that are known stay as they are.
pub(crate) fn remember(schema: Schema, connection: &mut Connection) -> rusqlite::Result<()> {
    if find_unknown(schema, connection)?.is_none() {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    transaction.execute(TABLE, [])?;
    for (version, sql) in (1_i64..).zip(schema.migrations) {
        let insert = "INSERT OR IGNORE INTO applied_migrations (version, sha256) VALUES (?1, ?2)";
        transaction.execute(insert, params![version, hash(sql)])?;
    }
    transaction.commit()
}

/// Checks that the migrations that were applied are those of the schema.
pub(crate) fn check(schema: Schema, connection: &Connection, path: &Path) -> Result<(), OpenError> {
    match find_changed(schema, connection) {
        Ok(None) => Ok(()),
        Ok(Some(version)) => Err(OpenError::Refused(format!(
            "migration {version} of {} was edited after it was applied: undo the edit and add another migration at the end; without records that matter, delete the database instead",
            path.display()
        ))),
        Err(error) => Err(OpenError::database(path, error)),
    }
}

/// The version of the first migration whose text is another one than when it was applied, if there is one.
fn find_changed(schema: Schema, connection: &Connection) -> rusqlite::Result<Option<i64>> {
    if !has_table(connection)? {
        return Ok(None);
    }
    for (version, sql) in (1_i64..).zip(schema.migrations) {
        if applied(connection, version)?.is_some_and(|applied| applied != hash(sql)) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

/// The first migration that is not remembered.
fn find_unknown(schema: Schema, connection: &Connection) -> rusqlite::Result<Option<i64>> {
    if !has_table(connection)? {
        return Ok(Some(1));
    }
    for version in 1..=schema.version() {
        if applied(connection, version)?.is_none() {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

fn applied(connection: &Connection, version: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    let select = "SELECT sha256 FROM applied_migrations WHERE version = ?1";
    let row = connection.query_row(select, [version], |row| row.get(0));
    row.optional()
}

fn has_table(connection: &Connection) -> rusqlite::Result<bool> {
    connection.table_exists(Some("main"), "applied_migrations")
}

/// The hash of a text, whichever line breaks a checkout gave it.
fn hash(sql: &str) -> Vec<u8> {
    Sha256::digest(sql.replace('\r', "")).to_vec()
}
