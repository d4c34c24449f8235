//! Opens a database as the server does, checks that it is intact, and reads all of its records.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use dropspec_store::sqlite::Engine;
use petstore_server::store::{SCHEMA, Store};
use rusqlite::Connection;

use super::known::Known;
use super::load::{BACKUP, DATABASE, config};
use crate::store::snapshot::Snapshot;

/// The files of a directory, by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The contents of a database.
#[derive(Debug, Default)]
pub struct State {
    /// The state of each record, by kind and name.
    pub records: BTreeMap<String, String>,
    /// The claimed requests of each window of the API key 1.
    pub claims: BTreeMap<String, i64>,
}

/// Writes files to an empty directory.
pub fn write_files(directory: &Path, files: &Files) {
    for (name, bytes) in files {
        fs::write(directory.join(name), bytes).unwrap();
    }
}

/// Checks the database and the backup in a directory. Returns what is wrong; an empty text if nothing is.
pub fn find_difference(directory: &Path, known: &Known) -> String {
    let backup = directory.join(BACKUP);
    let faults = match read(&directory.join(DATABASE)) {
        Ok(found) => known.find_difference(&found),
        Err(fault) => fault,
    };
    let backup = backup.exists().then(|| read(&backup)).transpose();
    faults
        + &match backup {
            Ok(found) => known
                .find_difference_of_backup(found.as_ref())
                .replace('\n', " (backup)\n"),
            Err(fault) => format!("the backup: {fault}"),
        }
}

/// Opens a database as the server does, and reads its contents.
fn read(database: &Path) -> Result<State, String> {
    let engine = Engine::open(SCHEMA, &config(database.to_owned()));
    let engine = engine.map_err(|error| format!("it cannot be opened: {error}: {error:?}"))?;
    let store = Store::new(Arc::new(engine));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let snapshot = runtime.block_on(Snapshot::read(&store));
    snapshot.check();
    let mut state = State::default();
    read_tables(database, &mut state).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut add = |kind: &str, name: &str, text: String| {
        let other = state.records.insert(format!("{kind} {name}"), text);
        assert_eq!(other, None, "two of {kind} {name}");
    };
    let units = snapshot.units();
    let mut kinds = BTreeMap::new();
    for it in &snapshot.categories {
        kinds.insert(it.id, &it.name);
        add("category", &it.name, it.description.clone().unwrap());
    }
    for it in &snapshot.pets {
        add("pet", &it.name, kinds[&it.category_id].clone());
        add("units", &it.name, units[&it.id].to_string());
    }
    for it in &snapshot.orders {
        let number = it.ship_date.unwrap().timestamp().to_string();
        let status = if it.complete { "complete" } else { "open" };
        let text = format!("{} of {}, {status}", it.quantity, it.pet_id);
        add("order", &number, text);
    }
    Ok(state)
}

/// Checks the file, and reads what the store does not list.
fn read_tables(database: &Path, state: &mut State) -> rusqlite::Result<()> {
    let db = Connection::open(database)?;
    let intact: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    assert_eq!(intact, "ok");
    assert!(!db.prepare("PRAGMA foreign_key_check")?.exists([])?);
    let mut select = db.prepare(
        "SELECT 'stored response ' || key, 'present' FROM idempotency_keys UNION ALL
         SELECT 'key ' || name, iif(revoked_at IS NULL, 'active', 'revoked') FROM api_keys",
    )?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    state.records = rows.collect::<rusqlite::Result<_>>()?;
    let mut select = db.prepare("SELECT window, claimed FROM usage WHERE key_id = 1")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    state.claims = rows.collect::<rusqlite::Result<_>>()?;
    Ok(())
}
