//! Tests of `open`.

use super::*;

#[test]
fn writer_syncs_every_commit_and_readers_cannot_write() {
    let directory = tempfile::TempDir::new().unwrap();
    let config = EngineConfig::new(directory.path().join("db"));
    let writer = connect_writer(&config.path, config.busy_timeout).unwrap();
    let number = |db: &Connection, pragma: &str| -> i64 {
        db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
            .unwrap()
    };
    let journal: String = writer
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(journal, "wal");
    assert_eq!(number(&writer, "synchronous"), 2, "FULL");
    assert_eq!(number(&writer, "foreign_keys"), 1);
    assert_eq!(number(&writer, "busy_timeout"), 3000, "milliseconds");
    assert_eq!(number(&writer, "wal_autocheckpoint"), 0);
    assert_eq!(number(&writer, "cache_spill"), 0);

    let (readers, _) = connect_readers(&config.path, &config).unwrap();
    let reader = readers.get().unwrap();
    assert!(reader.execute_batch("CREATE TABLE t (x)").is_err());
}

#[test]
fn readers_that_cannot_be_opened_fail_with_the_error_of_sqlite() {
    let directory = tempfile::TempDir::new().unwrap();
    let config = EngineConfig::new(directory.path().join("missing"));
    let error = connect_readers(&config.path, &config).unwrap_err();
    let code = error.downcast::<rusqlite::Error>().unwrap();
    let code = code.sqlite_error_code();
    assert_eq!(code, Some(rusqlite::ErrorCode::CannotOpen));
}

#[test]
fn database_that_keeps_its_journal_mode_is_not_opened() {
    // SQLite refuses a write-ahead log for a database in memory, without an error.
    let config = EngineConfig::new(":memory:");
    let error = connect_writer(&config.path, config.busy_timeout).unwrap_err();
    assert!(
        error.to_string().contains("the journal mode is memory"),
        "{error}"
    );
}
