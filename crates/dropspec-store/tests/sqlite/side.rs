//! A file as one side of a copy: rows, ids, triggers, and the name that only a complete copy gets.

use std::path::Path;

use dropspec_store::EngineError;
use dropspec_store::sqlite::{Engine, OpenError, Schema, SqliteSide};
use dropspec_store::transfer::{Row, Side, Table, Value};
use tempfile::TempDir;

use crate::fixture::{config, file_names};

/// A table with a column of every kind, one with rows of its own, and a trigger that adds to it.
const KINDS: Schema = Schema {
    application_id: 0x6b69_6e64,
    migrations: &[&["PRAGMA application_id = 0x6b696e64;
        CREATE TABLE kinds (
            name TEXT, number INTEGER, part REAL, bytes BLOB,
            halved INTEGER GENERATED ALWAYS AS (number / 2), PRIMARY KEY (name, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE logs (line TEXT) STRICT;
        INSERT INTO logs VALUES ('created');
        CREATE TABLE ids (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
        CREATE TABLE reused (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES ids (id)) STRICT;
        CREATE TRIGGER log_it AFTER INSERT ON kinds BEGIN INSERT INTO logs VALUES ('inserted'); END;"]],
};

async fn read(side: &SqliteSide, table: &Table) -> Vec<Row> {
    let mut rows = Vec::new();
    let push = async |row| {
        rows.push(row);
        Ok::<(), EngineError>(())
    };
    side.read_rows(table, push).await.unwrap();
    rows
}

async fn find(side: &SqliteSide, name: &str) -> Table {
    let tables = side.tables().await.unwrap();
    tables.into_iter().find(|table| table.name == name).unwrap()
}

fn open(path: &Path) -> SqliteSide {
    SqliteSide::open_target(KINDS, path).unwrap()
}

#[tokio::test]
async fn complete_copy_has_the_rows_that_were_inserted() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    let side = open(&path);
    // In the order of their names: bytes, name, number, part.
    let (kinds, logs) = (find(&side, "kinds").await, find(&side, "logs").await);
    let rows = [
        vec![
            Value::Bytes(vec![0, 255]),
            Value::Text("'\"\\\u{0}".to_owned()),
            Value::Integer(i64::MIN),
            Value::Real(f64::MIN_POSITIVE),
        ],
        vec![
            Value::Null,
            Value::Text("é".to_owned()),
            Value::Integer(0),
            Value::Null,
        ],
    ];
    side.insert(&kinds, &rows).await.unwrap();
    assert_eq!(read(&side, &kinds).await, rows);
    assert_eq!(read(&side, &logs).await, Vec::<Row>::new());
    let in_use = Engine::open(KINDS, &config(&path)).unwrap_err();
    assert!(matches!(in_use, OpenError::InUse { .. }));
    assert!(!path.exists());
    side.finish().unwrap();
    assert_eq!(file_names(&directory), ["kinds.db", "kinds.db.lock"]);

    let source = SqliteSide::open_source(KINDS, &path).unwrap();
    assert_eq!(read(&source, &kinds).await, rows);
    drop(source);
    let exists = SqliteSide::open_target(KINDS, &path).unwrap_err();
    assert!(exists.to_string().contains("already exists"), "{exists}");
    let engine = Engine::open(KINDS, &config(&path)).unwrap();
    let in_use = SqliteSide::open_source(KINDS, &path).unwrap_err();
    assert!(matches!(in_use, OpenError::InUse { .. }));
    engine.close().await.unwrap();
}

#[tokio::test]
async fn ids_go_on_after_the_last_one_of_the_source() {
    let directory = TempDir::new().unwrap();
    let side = open(&directory.path().join("kinds.db"));
    let (ids, reused) = (find(&side, "ids").await, find(&side, "reused").await);
    for (row, last, expected) in [
        (None, 0, 0),
        (Some(7), 0, 7),
        (None, 9, 9),
        (Some(12), 3, 12),
    ] {
        let row: Vec<Row> = row.into_iter().map(|id| vec![Value::Integer(id)]).collect();
        side.insert(&ids, &row).await.unwrap();
        side.set_last_id(&ids, last).await.unwrap();
        assert_eq!(side.last_id(&ids).await.unwrap(), expected, "{row:?}");
    }
    side.set_last_id(&reused, 5).await.unwrap();
    assert_eq!(side.last_id(&reused).await.unwrap(), 0);
}

#[tokio::test]
async fn unfinished_copy_leaves_no_database_and_begins_anew() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    std::fs::write(directory.path().join("kinds.db.unfinished"), "SQLite").unwrap();
    let side = open(&path);
    let row = vec![Value::Integer(1), Value::Integer(8)];
    side.insert(&find(&side, "reused").await, &[row])
        .await
        .unwrap();
    let error = side.finish().unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        cause,
        "a row of reused refers to a row of ids that does not exist"
    );
    assert_eq!(file_names(&directory), ["kinds.db.lock"]);
    open(&path).finish().unwrap();
}

#[test]
fn log_of_a_database_that_was_moved_is_never_combined_with_another() {
    for suffix in ["-wal", "-journal"] {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("kinds.db");
        let log = directory.path().join(format!("kinds.db{suffix}"));
        std::fs::write(&log, "the last changes").unwrap();
        let copied = SqliteSide::open_target(KINDS, &path).unwrap_err();
        let opened = Engine::open(KINDS, &config(&path)).unwrap_err();
        for error in [copied, opened] {
            let text = error.to_string();
            assert!(text.contains("belongs to a database that was at"), "{text}");
        }
        assert_eq!(std::fs::read(&log).unwrap(), b"the last changes");
        // One without content is what a clean stop leaves.
        std::fs::write(&log, "").unwrap();
        drop(open(&path));
    }
}
