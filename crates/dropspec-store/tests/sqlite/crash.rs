//! A crash: the files of the database as they are on the disk while the engine runs.

use std::fs;
use std::path::Path;

use dropspec_store::sqlite::Engine;
use tempfile::TempDir;

use crate::fixture::{open, read_notes, write_note};

/// Replaces the database `db` by the files that would remain if the process were killed now.
pub fn crash(directory: &Path, engine: Engine) {
    let files = ["db", "db-wal"].map(|name| (name, fs::read(directory.join(name)).unwrap()));
    drop(engine);
    for (name, bytes) in files {
        fs::write(directory.join(name), bytes).unwrap();
    }
}

#[tokio::test]
async fn incomplete_transaction_in_the_log_is_ignored() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    write_note(&engine, "complete").await;
    let complete = fs::metadata(directory.path().join("db-wal")).unwrap().len();
    write_note(&engine, "incomplete").await;
    crash(directory.path(), engine);
    let log = fs::OpenOptions::new()
        .write(true)
        .open(directory.path().join("db-wal"))
        .unwrap();
    let cut = (complete + log.metadata().unwrap().len()) / 2;
    log.set_len(cut).unwrap();
    assert_eq!(read_notes(&open(&directory, "db")), ["complete"]);
}
