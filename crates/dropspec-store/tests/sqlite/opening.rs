//! Opening a database: what can be opened is opened; anything else is named in the error and left unchanged.

use std::fs;
use std::path::Path;

use dropspec_store::EngineError;
use dropspec_store::sqlite::{Engine, EngineConfig, Migration, OpenError, Schema, read_version};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::{SCHEMA, config, file_names, open, read_files, read_notes, write_note};

/// Opens `name` in `directory` in both ways, expects the same error twice, and that no file is changed.
fn open_error(directory: &TempDir, name: &str) -> OpenError {
    let config = config(directory.path().join(name));
    let before = read_files(directory);
    let beside = Engine::open_beside_server(SCHEMA, &config)
        .map(drop)
        .expect_err("beside a server");
    let error = Engine::open(SCHEMA, &config)
        .map(drop)
        .expect_err("as the server");
    assert_eq!(beside.to_string(), error.to_string());
    assert!(before == read_files(directory), "a file was changed");
    error
}

/// Expects that a second server cannot open `name`.
fn assert_in_use(directory: &TempDir, name: &str) {
    let second = Engine::open(SCHEMA, &config(directory.path().join(name)));
    let error = second.map(drop).unwrap_err();
    assert!(
        matches!(error, OpenError::InUse { .. }),
        "{name}: {error:?}"
    );
}

#[tokio::test]
async fn missing_database_is_created_and_can_be_opened_again() {
    let directory = TempDir::new().unwrap();
    let version = || read_version(SCHEMA, &directory.path().join("db")).unwrap();
    assert_eq!(version(), None);
    for text in ["first", "second"] {
        let engine = open(&directory, "db");
        assert_eq!((engine.migration(), version()), (None, Some(2)));
        write_note(&engine, text).await;
        engine.close().await.unwrap();
        drop(engine);
        assert_eq!(file_names(&directory), ["db", "db.lock"], "no log is left");
    }
    assert_eq!(read_notes(&open(&directory, "db")), ["first", "second"]);
}

#[test]
fn new_database_file_contains_the_application_id_before_its_log_is_copied_back() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let header = fs::read(directory.path().join("db")).unwrap();
    assert_eq!(header[68..72], SCHEMA.application_id.to_be_bytes());
    drop(engine);
}

#[tokio::test]
async fn engine_dropped_without_close_keeps_acknowledged_writes() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    write_note(&engine, "kept").await;
    drop(engine);
    assert_eq!(file_names(&directory), ["db", "db.lock"], "no log is left");
    assert_eq!(read_notes(&open(&directory, "db")), ["kept"]);
}

#[test]
fn empty_file_and_blank_database_are_accepted() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("empty"), "").unwrap();
    open(&directory, "empty");

    let blank = Connection::open(directory.path().join("blank")).unwrap();
    blank.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    drop(blank);
    open(&directory, "blank");
}

#[test]
fn interrupted_creation_is_undone_before_the_file_is_inspected() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    let creation = Connection::open(path("creating")).unwrap();
    // The transaction is not committed, and writes a part of its pages nevertheless.
    creation
        .execute_batch(
            "PRAGMA cache_size = 1;
             BEGIN;
             CREATE TABLE notes (text);
             INSERT INTO notes VALUES (zeroblob(100000));",
        )
        .unwrap();
    for suffix in ["", "-journal"] {
        let copy = path(&format!("db{suffix}"));
        fs::copy(path(&format!("creating{suffix}")), copy).unwrap();
    }
    assert!(fs::metadata(path("db")).unwrap().len() > 0);
    open(&directory, "db");
}

#[tokio::test]
async fn older_schema_version_is_migrated_when_no_server_runs() {
    const OLDER: Schema = Schema {
        migrations: &[&[SCHEMA.migrations[0][0]]],
        ..SCHEMA
    };
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    let older = Engine::open(OLDER, &config).unwrap();
    write_note(&older, "old").await;
    let error = Engine::open_beside_server(SCHEMA, &config).map(drop);
    assert!(
        matches!(error, Err(OpenError::InUse { .. })),
        "the older server still runs"
    );
    // Not all of it is in the database file yet.
    assert_eq!(read_version(SCHEMA, &config.path).unwrap(), Some(1));
    drop(older);

    let engine = Engine::open_beside_server(SCHEMA, &config).unwrap();
    assert_eq!(read_version(SCHEMA, &config.path).unwrap(), Some(2));
    let migration = engine.migration().unwrap();
    let path = directory.path().canonicalize().unwrap();
    let copy = path.join("db.before-version-2");
    let expected = Migration {
        from: 1,
        to: 2,
        copy: copy.clone(),
    };
    assert_eq!(*migration, expected);
    let before = Engine::open(OLDER, &EngineConfig::new(&copy)).unwrap();
    assert_eq!(read_notes(&before), ["old"]);
    drop(before);
    assert_eq!(read_notes(&engine), ["old"]);
    let stored = engine.read::<i64, EngineError>(|db| {
        let sql = "SELECT count(*) FROM idempotency_keys";
        Ok(db.query_row(sql, [], |row| row.get(0))?)
    });
    assert_eq!(stored.unwrap(), 0, "the new table exists");
    drop(engine);
    let current = Engine::open(SCHEMA, &config).unwrap();
    assert_eq!(current.migration(), None);
}

#[test]
fn second_server_is_rejected_by_another_name_and_without_the_lock_file() {
    let directory = TempDir::new().unwrap();
    let first = open(&directory, "db");
    assert_in_use(&directory, "db");
    fs::hard_link(directory.path().join("db"), directory.path().join("other")).unwrap();
    fs::remove_file(directory.path().join("db.lock")).unwrap();
    for name in ["other", "db"] {
        assert_in_use(&directory, name);
    }
    drop(first);
    open(&directory, "other");
}

#[test]
fn check_fails_while_the_database_file_is_removed_or_replaced() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("db");
    let engine = open(&directory, "db");
    engine.check().unwrap();
    fs::rename(&path, directory.path().join("moved")).unwrap();
    engine.check().unwrap_err();
    fs::copy(directory.path().join("moved"), &path).unwrap();
    engine.check().unwrap_err();
}

#[test]
fn check_fails_after_a_change_of_the_schema_version() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    set_version(&directory.path().join("db"), 99);
    let error = engine.check().unwrap_err();
    assert!(matches!(error, EngineError::Internal(_)), "{error:?}");
}

#[test]
fn link_to_a_missing_database_locks_its_target() {
    let directory = TempDir::new().unwrap();
    std::os::unix::fs::symlink("db", directory.path().join("link")).unwrap();
    let first = open(&directory, "link");
    for name in ["link", "db"] {
        assert_in_use(&directory, name);
    }
    drop(first);
}

#[tokio::test]
async fn second_process_can_read_and_write_beside_the_server() {
    let directory = TempDir::new().unwrap();
    let server = open(&directory, "db");
    let operator =
        Engine::open_beside_server(SCHEMA, &config(directory.path().join("db"))).unwrap();
    write_note(&operator, "operator").await;
    assert_eq!(read_notes(&server), ["operator"]);
    write_note(&server, "server").await;
    assert_eq!(read_notes(&operator), ["operator", "server"]);
    operator.close().await.unwrap();
    drop(operator);
    write_note(&server, "later").await;
}

#[test]
fn database_created_beside_no_server_is_not_locked() {
    let directory = TempDir::new().unwrap();
    let operator =
        Engine::open_beside_server(SCHEMA, &config(directory.path().join("db"))).unwrap();
    open(&directory, "db");
    drop(operator);
}

#[test]
fn what_is_no_database_of_the_application_is_named_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::create_dir(path("folder")).unwrap();
    fs::write(path("short"), "hello").unwrap();
    fs::write(path("long"), "hello ".repeat(100)).unwrap();
    // A directory cannot be opened for writing, not even by the superuser.
    fs::create_dir(path("locked.lock")).unwrap();
    for (name, id) in [("with-id", 5), ("without-id", 0)] {
        let other = Connection::open(path(name)).unwrap();
        other.pragma_update(None, "application_id", id).unwrap();
        other.execute_batch("CREATE TABLE t (x);").unwrap();
    }
    for version in [99, -1, 0] {
        let name = format!("version{version}");
        drop(open(&directory, &name));
        set_version(&path(&name), version);
    }
    for (name, expected) in [
        ("folder", "folder is a directory"),
        ("missing/db", "missing is not a directory"),
        ("short/db", "short is not a directory"),
        ("short", "is not a SQLite database"),
        ("long", "is not a SQLite database"),
        ("with-id", "(application_id 0x00000005)"),
        ("without-id", "(application_id 0x00000000)"),
        (
            "locked",
            "locked.lock cannot be opened for reading and writing",
        ),
        ("version99", "run a newer version"),
        ("version-1", "has schema version -1, which no version"),
        ("version0", "has schema version 0, which no version"),
    ] {
        let error = open_error(&directory, name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
    let nameless = Engine::open(SCHEMA, &config("")).map(drop).unwrap_err();
    assert!(
        nameless.to_string().contains("cannot be opened"),
        "{nameless}"
    );
}

/// Changes the schema version of a database over a connection that is closed again.
fn set_version(path: &Path, version: i64) {
    let db = Connection::open(path).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
}

#[test]
fn newer_schema_version_in_the_log_alone_is_rejected() {
    let directory = TempDir::new().unwrap();
    drop(open(&directory, "db"));
    // As after a crash: the connection stays open, so its log is not copied back.
    let newer = Connection::open(directory.path().join("db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    let before = read_files(&directory);
    let error = Engine::open(SCHEMA, &config(directory.path().join("db")))
        .map(drop)
        .unwrap_err();
    assert!(error.to_string().contains("run a newer version"), "{error}");
    let after = read_files(&directory);
    for name in ["db", "db-wal"] {
        assert!(before[name] == after[name], "{name} was changed");
    }
}

#[test]
fn edited_migration_is_an_error_and_a_new_one_is_not() {
    let directory = TempDir::new().unwrap();
    drop(open(&directory, "db"));
    let config = config(directory.path().join("db"));
    let [first, second] = [SCHEMA.migrations[0][0], SCHEMA.migrations[0][1]];
    let edited: &'static str = first.replace("text TEXT NOT NULL", "text TEXT").leak();
    let with = |migrations: &[&'static str]| Schema {
        migrations: vec![&*migrations.to_vec().leak()].leak(),
        ..SCHEMA
    };
    let before = read_files(&directory);
    for schema in [with(&[edited, second]), with(&[edited, second, "SELECT 1"])] {
        for error in [
            Engine::open(schema, &config).map(drop).unwrap_err(),
            Engine::open_beside_server(schema, &config)
                .map(drop)
                .unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(text.starts_with("migration 1 of "), "{text}");
            assert!(text.contains("add another migration at the end"), "{text}");
        }
    }
    assert!(before == read_files(&directory), "a file was changed");
    let windows: &'static str = first.replace('\n', "\r\n").leak();
    drop(Engine::open(with(&[windows, second]), &config).unwrap());
    let third = "CREATE TABLE tags (name TEXT NOT NULL) STRICT";
    drop(Engine::open(with(&[first, second, third]), &config).unwrap());
    let edited = "CREATE TABLE tags (name TEXT) STRICT";
    let error = Engine::open(with(&[first, second, edited]), &config).map(drop);
    let text = error.unwrap_err().to_string();
    assert!(text.starts_with("migration 3 of "), "{text}");
}

#[test]
fn database_of_an_earlier_version_remembers_its_migrations_at_the_next_start() {
    let directory = TempDir::new().unwrap();
    drop(open(&directory, "db"));
    let database = Connection::open(directory.path().join("db")).unwrap();
    database
        .execute_batch("DROP TABLE applied_migrations")
        .unwrap();
    drop(database);
    drop(open(&directory, "db"));
    let database = Connection::open(directory.path().join("db")).unwrap();
    let select = "SELECT count(*) FROM applied_migrations";
    let count: i64 = database.query_row(select, [], |row| row.get(0)).unwrap();
    assert_eq!(count, SCHEMA.version());
}
