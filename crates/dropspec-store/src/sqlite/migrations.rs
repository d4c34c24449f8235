//! Remembers the text of each migration that was applied, by its hash, so that an edited one is noticed. Without that, a
//! program would run on tables that its migrations do not describe.

use std::path::Path;

use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

use crate::sqlite::error::OpenError;
use crate::sqlite::schema::Schema;

/// Not a migration of its own: databases of earlier versions get it too, and the schema version stays.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS applied_migrations (
    version INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID";

/// Remembers the migrations of a schema, all of which were applied. Those that are known stay as they are.
pub(crate) fn remember(schema: Schema, connection: &mut Connection) -> rusqlite::Result<()> {
    if read(connection)?.len() as i64 == schema.version() {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    transaction.execute(TABLE, [])?;
    for (version, sql) in (1_i64..).zip(schema.each_migration()) {
        let insert = "INSERT OR IGNORE INTO applied_migrations (version, sha256) VALUES (?1, ?2)";
        transaction.execute(insert, params![version, hash(sql)])?;
    }
    transaction.commit()
}

/// Checks that the migrations that were applied are those of the schema.
pub(crate) fn check(schema: Schema, connection: &Connection, path: &Path) -> Result<(), OpenError> {
    let applied = read(connection).map_err(|error| OpenError::database(path, error))?;
    let mut pairs = (1..).zip(applied.iter().zip(schema.each_migration()));
    match pairs.find(|(_, (applied, sql))| **applied != hash(sql)) {
        None => Ok(()),
        Some((version, _)) => Err(OpenError::Refused(format!(
            "migration {version} of {} was edited after it was applied: undo the edit and add another migration at the end; without records that matter, delete the database instead",
            path.display()
        ))),
    }
}

/// The hashes of the migrations that are remembered, in their order.
fn read(connection: &Connection) -> rusqlite::Result<Vec<Vec<u8>>> {
    if !connection.table_exists(Some("main"), "applied_migrations")? {
        return Ok(Vec::new());
    }
    let select = "SELECT sha256 FROM applied_migrations ORDER BY version";
    let mut select = connection.prepare(select)?;
    let hashes = select.query_map([], |row| row.get(0))?;
    hashes.collect()
}

/// The hash of a text, whichever line breaks a checkout gave it.
fn hash(sql: &str) -> Vec<u8> {
    Sha256::digest(sql.replace('\r', "")).to_vec()
}
