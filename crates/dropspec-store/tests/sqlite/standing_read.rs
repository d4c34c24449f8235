//! The read transaction that stays open between commits: no read misses a commit by it, and the log stays short.

use std::fs;

use dropspec_store::sqlite::{Engine, EngineConfig};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::{SCHEMA, config, read_notes, write_note};

/// More reads than it takes until the transaction begins.
const READS: usize = 150;

#[tokio::test]
async fn log_starts_anew_while_reads_and_writes_alternate() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("db");
    let config = EngineConfig {
        checkpoint_pages: 10,
        ..config(&path)
    };
    let engine = Engine::open(SCHEMA, &config).unwrap();
    for round in 1..=40 {
        write_note(&engine, &"x".repeat(5000)).await;
        for _ in 0..READS {
            assert_eq!(read_notes(&engine).len(), round);
        }
    }
    let log = fs::metadata(directory.path().join("db-wal")).unwrap();
    assert!(log.len() < 40 * 4096, "{} bytes", log.len());
}

#[test]
fn reads_see_the_commits_of_another_connection() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("db");
    let engine = Engine::open(SCHEMA, &config(&path)).unwrap();
    let other = Connection::open(&path).unwrap();
    for round in 1..=3 {
        other
            .execute("INSERT INTO notes (text) VALUES ('x')", [])
            .unwrap();
        for _ in 0..READS {
            assert_eq!(read_notes(&engine).len(), round);
        }
    }
}
