//! A schema with one table of notes, and databases with it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dropspec_store::EngineError;
use dropspec_store::sqlite::{Engine, EngineConfig, IDEMPOTENCY_KEYS_SQL, Schema};

pub const SCHEMA: Schema = Schema {
    application_id: 0x6e6f_7465,
    migrations: &[&[
        "PRAGMA application_id = 0x6e6f7465;
         CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL) STRICT;",
        IDEMPOTENCY_KEYS_SQL,
    ]],
};

/// The default limits, with two reader connections.
pub fn config(path: impl AsRef<Path>) -> EngineConfig {
    EngineConfig {
        read_connections: 2,
        ..EngineConfig::new(path.as_ref())
    }
}

/// Opens the database `name` in `directory` as a server.
pub fn open(directory: impl AsRef<Path>, name: &str) -> Engine {
    Engine::open(SCHEMA, &config(directory.as_ref().join(name))).unwrap()
}

pub async fn write_note(engine: &Engine, text: &str) {
    let text = text.to_owned();
    let written = engine.write::<_, EngineError>(move |db| {
        db.execute("INSERT INTO notes (text) VALUES (?)", [&text])?;
        Ok(())
    });
    written.await.unwrap();
}

pub fn read_notes(engine: &Engine) -> Vec<String> {
    let notes = engine.read::<_, EngineError>(|db| {
        let mut select = db.prepare_cached("SELECT text FROM notes ORDER BY id")?;
        let notes = select.query_map([], |row| row.get(0))?;
        Ok(notes.collect::<rusqlite::Result<_>>()?)
    });
    notes.unwrap()
}

/// Returns the bytes of every file in a directory. A subdirectory counts as empty.
pub fn read_files(directory: impl AsRef<Path>) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let is_file = entry.file_type().unwrap().is_file();
        let bytes = is_file.then(|| fs::read(entry.path()).unwrap());
        let name = entry.file_name().into_string().unwrap();
        files.insert(name, bytes.unwrap_or_default());
    }
    files
}

/// Returns the names of the files in a directory, sorted.
pub fn file_names(directory: impl AsRef<Path>) -> Vec<String> {
    read_files(directory).into_keys().collect()
}
