//! A file as one side of a copy: rows of every kind, ids, triggers, and the name that only a complete copy gets.

use std::path::Path;

use engine_types::EngineError;
use engine_types::transfer::{Kind, Row, Side, Table, Value};
use sqlite_engine::{Engine, OpenError, Schema, SqliteSide};
use tempfile::TempDir;

use crate::fixture::{config, file_names};

/// A table with a column of every kind, one with rows of its own and no key, and a trigger that adds to it.
const KINDS: Schema = Schema {
    application_id: 0x6b69_6e64,
    migrations: &["PRAGMA application_id = 0x6b696e64;
        CREATE TABLE kinds (
            name TEXT COLLATE NOCASE, number INTEGER, part REAL, bytes BLOB, note TEXT,
            halved INTEGER GENERATED ALWAYS AS (number / 2), PRIMARY KEY (name, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE logs (line TEXT) STRICT;
        INSERT INTO logs VALUES ('created');
        CREATE TABLE ids (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
        CREATE TABLE reused (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES ids (id)) STRICT;
        CREATE TRIGGER log_it AFTER INSERT ON kinds BEGIN INSERT INTO logs VALUES ('inserted'); END;"],
};

fn open(path: &Path) -> SqliteSide {
    SqliteSide::open_target(KINDS, path).unwrap()
}

async fn read(side: &SqliteSide, table: &Table) -> Vec<Row> {
    let mut rows = Vec::new();
    let push = async |row| {
        rows.push(row);
        Ok::<(), EngineError>(())
    };
    side.read_rows(table, push).await.unwrap();
    rows
}

fn find<'a>(tables: &'a [Table], name: &str) -> &'a Table {
    tables.iter().find(|table| table.name == name).unwrap()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn row(name: &str, number: i64, part: f64, bytes: &[u8]) -> Row {
    let (part, bytes) = (Value::Real(part), Value::Bytes(bytes.to_vec()));
    vec![
        text(name),
        Value::Integer(number),
        part,
        bytes,
        text("'\"\\\u{0}"),
    ]
}

#[tokio::test]
async fn rows_of_every_kind_are_read_as_inserted_in_the_order_of_bytes() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    let side = open(&path);
    let tables = side.tables().await.unwrap();
    let kinds = find(&tables, "kinds");
    let found: Vec<&Kind> = kinds.columns.iter().map(|column| &column.kind).collect();
    let expected = [
        Kind::Text,
        Kind::Integer,
        Kind::Real,
        Kind::Bytes,
        Kind::Text,
    ];
    assert_eq!(found, expected.iter().collect::<Vec<_>>());
    side.begin(&tables).await.unwrap();
    let mut rows = vec![
        row("B", 1, f64::MIN_POSITIVE, &[0, 255]),
        row("a", i64::MIN, 0.0, &[]),
        row("a", i64::MAX, f64::MAX, b"x"),
        row("é", 0, 0.1, b"y"),
    ];
    rows[3][2..].fill(Value::Null);
    side.insert(kinds, &rows).await.unwrap();
    assert_eq!(read(&side, kinds).await, rows);
    let logs = find(&tables, "logs");
    assert_eq!(read(&side, logs).await, Vec::<Row>::new());
    side.finish(&tables).await.unwrap();
    assert_eq!(file_names(&directory), ["kinds.db", "kinds.db.lock"]);
    let source = SqliteSide::open_source(KINDS, &path).unwrap();
    assert_eq!(read(&source, kinds).await, rows);
}

#[tokio::test]
async fn ids_go_on_after_the_last_one_of_the_source() {
    let directory = TempDir::new().unwrap();
    let side = open(&directory.path().join("kinds.db"));
    let tables = side.tables().await.unwrap();
    let ids = find(&tables, "ids");
    for (rows, last, expected) in [
        (vec![], None, 0),
        (vec![], Some(0), 0),
        (vec![1, 7], None, 7),
        (vec![], Some(9), 9),
        (vec![12], Some(3), 12),
    ] {
        side.begin(&tables).await.unwrap();
        let rows: Vec<Row> = rows
            .into_iter()
            .map(|id| vec![Value::Integer(id)])
            .collect();
        side.insert(ids, &rows).await.unwrap();
        side.set_last_id(ids, last).await.unwrap();
        assert_eq!(
            side.last_id(ids).await.unwrap(),
            Some(expected),
            "{rows:?}, {last:?}"
        );
    }
    let reused = find(&tables, "reused");
    side.set_last_id(reused, Some(5)).await.unwrap();
    assert_eq!(side.last_id(reused).await.unwrap(), None);
}

#[tokio::test]
async fn database_gets_its_name_only_when_it_is_complete() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    let refused = || Engine::open(KINDS, &config(&path)).unwrap_err();
    let side = open(&path);
    assert!(!side.is_complete());
    assert!(matches!(refused(), OpenError::InUse { .. }));
    let tables = side.tables().await.unwrap();
    side.begin(&tables).await.unwrap();
    side.insert(find(&tables, "ids"), &[vec![Value::Integer(3)]])
        .await
        .unwrap();
    drop(side);

    let line = refused().to_string();
    assert!(line.contains("holds an unfinished copy"), "{line}");
    // By the name of the unfinished file neither.
    let unfinished = directory.path().join("kinds.db.copying");
    for open in [Engine::open, Engine::open_beside_server] {
        let by_name = open(KINDS, &config(&unfinished)).unwrap_err();
        assert!(by_name.to_string().contains("unfinished copy"), "{by_name}");
    }
    let as_source = SqliteSide::open_source(KINDS, &unfinished).unwrap_err();
    assert!(
        as_source.to_string().contains("unfinished copy"),
        "{as_source}"
    );

    let side = open(&path);
    assert!(!side.is_complete());
    assert_eq!(read(&side, find(&tables, "ids")).await, Vec::<Row>::new());
    side.finish(&tables).await.unwrap();
    let engine = Engine::open(KINDS, &config(&path)).unwrap();
    let in_use = SqliteSide::open_source(KINDS, &path).unwrap_err();
    assert!(in_use.to_string().contains("is in use"), "{in_use}");
    engine.close().await.unwrap();
    drop(engine);
    assert!(open(&path).is_complete());
}

#[tokio::test]
async fn copy_that_was_interrupted_while_it_was_created_begins_anew() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    let unfinished = directory.path().join("kinds.db.copying");
    for begun in ["", "SQLite format 3\0 and no more"] {
        std::fs::write(&unfinished, begun).unwrap();
        assert!(!open(&path).is_complete(), "{begun:?}");
    }
    // A link would decide where the copy is written to.
    std::fs::remove_file(&unfinished).unwrap();
    std::os::unix::fs::symlink(directory.path().join("elsewhere"), &unfinished).unwrap();
    let refused = SqliteSide::open_target(KINDS, &path).unwrap_err();
    assert!(refused.to_string().contains("is a link"), "{refused}");
}

#[tokio::test]
async fn copy_with_a_reference_to_no_row_is_not_finished() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("kinds.db");
    let side = open(&path);
    let tables = side.tables().await.unwrap();
    side.begin(&tables).await.unwrap();
    let row = vec![Value::Integer(1), Value::Integer(8)];
    side.insert(find(&tables, "reused"), &[row]).await.unwrap();
    let error = side.finish(&tables).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        cause,
        "a row of reused refers to a row of ids that does not exist"
    );
    assert!(!path.exists());
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
        drop(SqliteSide::open_target(KINDS, &path).unwrap());
    }
}
