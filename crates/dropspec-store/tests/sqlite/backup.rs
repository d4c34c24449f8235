//! Backups: what they contain, what is rejected, and what remains after a failure.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use dropspec_store::sqlite::{back_up, restore};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::{SCHEMA, file_names, open, read_files, read_notes, write_note};

/// A directory with the closed database `db`, which contains the note "kept", and its backup `backup`.
async fn directory_with_backup() -> TempDir {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    write_note(&engine, "kept").await;
    drop(engine);
    back_up(
        SCHEMA,
        &directory.path().join("db"),
        &directory.path().join("backup"),
    )
    .unwrap();
    directory
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_during_writes_contains_all_acknowledged_writes() {
    let directory = TempDir::new().unwrap();
    let engine = std::sync::Arc::new(open(&directory, "db"));
    let writer = std::sync::Arc::clone(&engine);
    let writes = tokio::spawn(async move {
        loop {
            write_note(&writer, "concurrent").await;
        }
    });
    for round in 0..5 {
        let note = format!("before {round}");
        write_note(&engine, &note).await;
        let backup = directory.path().join(format!("{round}"));
        back_up(SCHEMA, &directory.path().join("db"), &backup).unwrap();
        let notes = read_notes(&open(&directory, &format!("{round}")));
        assert!(notes.contains(&note), "{note:?} is missing");
    }
    writes.abort();
}

#[tokio::test]
async fn invalid_paths_are_rejected_and_no_file_is_changed() {
    let directory = directory_with_backup().await;
    let path = directory.path();
    fs::write(path.join("text"), "not a database").unwrap();
    fs::write(path.join("empty"), "").unwrap();
    fs::create_dir(path.join("folder")).unwrap();
    let mut damaged = fs::read(path.join("backup")).unwrap();
    let middle = damaged.len() / 2;
    damaged[4096..middle].fill(0x55);
    fs::write(path.join("damaged"), damaged).unwrap();
    for (name, pragma, value) in [
        ("newer", "user_version", 99),
        ("other", "application_id", 5),
    ] {
        fs::copy(path.join("backup"), path.join(name)).unwrap();
        let db = Connection::open(path.join(name)).unwrap();
        db.pragma_update(None, pragma, value).unwrap();
    }
    fs::copy(path.join("backup"), path.join("kept.unfinished")).unwrap();
    let before = read_files(&directory);

    let (exists, missing, damaged) = ("already exists", "there is no database at", "is damaged");
    let backups = [
        ("db", "backup", exists),
        ("db", "db", exists),
        ("db", "folder", exists),
        ("db", "no/such/folder", "is not a directory"),
        ("missing", "copy", missing),
        ("empty", "copy", missing),
        ("damaged", "copy", damaged),
        // The name of the temporary copy is that of the database.
        ("kept.unfinished", "kept", exists),
    ];
    for (database, copy, expected) in backups {
        let error = back_up(SCHEMA, &path.join(database), &path.join(copy)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(before == read_files(&directory), "{database} to {copy}");
    }
    let restores = [
        ("text", "db", "is not a SQLite database"),
        ("missing", "db", missing),
        ("empty", "db", missing),
        ("damaged", "db", damaged),
        ("damaged", "new", damaged),
        ("newer", "db", "has schema version 99"),
        ("other", "db", "is the database of another application"),
        ("folder", "db", "is a directory"),
        ("backup", "folder", "is a directory"),
        ("db", "db", "is the database itself"),
    ];
    for (backup, database, expected) in restores {
        let error = restore(SCHEMA, &path.join(backup), &path.join(database)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        // The file of the lock stays.
        let _ = fs::remove_file(path.join("new.lock"));
        assert!(before == read_files(&directory), "{backup} to {database}");
    }
}

#[tokio::test]
async fn locked_database_is_not_copied() {
    let directory = directory_with_backup().await;
    let path = directory.path();
    let other = Connection::open(path.join("db")).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let error = back_up(SCHEMA, &path.join("db"), &path.join("copy")).unwrap_err();
    assert!(error.to_string().contains("is locked"), "{error}");
    assert!(!path.join("copy").exists() && !path.join("copy.unfinished").exists());
}

#[tokio::test]
async fn unfinished_copy_of_another_process_is_an_error_until_that_process_ends() {
    let directory = directory_with_backup().await;
    let path = directory.path();
    let other = File::create(path.join("copy.unfinished")).unwrap();
    other.lock().unwrap();
    let error = back_up(SCHEMA, &path.join("db"), &path.join("copy")).unwrap_err();
    assert!(error.to_string().contains("by another process"), "{error}");
    assert!(path.join("copy.unfinished").exists());

    // The other process was killed, and its files remain.
    fs::write(path.join("copy.unfinished"), "half a copy").unwrap();
    fs::write(path.join("copy.unfinished-journal"), "stale").unwrap();
    other.unlock().unwrap();
    back_up(SCHEMA, &path.join("db"), &path.join("copy")).unwrap();
    assert_eq!(file_names(&directory), ["backup", "copy", "db", "db.lock"]);
    assert_eq!(read_notes(&open(&directory, "copy")), ["kept"]);
}

#[tokio::test]
async fn database_and_its_copies_are_accessible_to_the_owner_only() {
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    let engine = open(&directory, "db");
    write_note(&engine, "kept").await;
    for name in ["db", "db-wal", "db-shm", "db.lock"] {
        assert_eq!(mode(&path(name)), 0o600, "{name}");
    }
    drop(engine);
    for readable in ["db", "db.lock"] {
        fs::set_permissions(path(readable), Permissions::from_mode(0o644)).unwrap();
    }
    back_up(SCHEMA, &path("db"), &path("copy")).unwrap();
    assert_eq!(mode(&path("copy")), 0o600);
    fs::set_permissions(path("copy"), Permissions::from_mode(0o444)).unwrap();
    restore(SCHEMA, &path("copy"), &path("db")).unwrap();
    for name in ["db", "db.before-restore"] {
        assert_eq!(mode(&path(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn files_of_an_earlier_version_are_restricted_to_the_owner() {
    let directory = directory_with_backup().await;
    let path = directory.path().canonicalize().unwrap();
    for name in ["db", "db.lock"] {
        fs::set_permissions(path.join(name), Permissions::from_mode(0o644)).unwrap();
    }
    let engine = open(&directory, "db");
    assert_eq!(
        engine.restricted_files(),
        [path.join("db"), path.join("db.lock")]
    );
    drop(engine);
    assert!(open(&directory, "db").restricted_files().is_empty());
}

#[tokio::test]
async fn backup_is_not_written_through_a_link_at_its_temporary_name() {
    let directory = directory_with_backup().await;
    let path = |name: &str| directory.path().join(name);
    fs::write(path("precious"), "kept").unwrap();
    symlink("precious", path("copy.unfinished")).unwrap();
    let refused = || back_up(SCHEMA, &path("db"), &path("copy")).unwrap_err();
    let error = refused().to_string();
    assert!(error.contains("not a regular file"), "{error}");
    fs::remove_file(path("copy.unfinished")).unwrap();
    fs::hard_link(path("precious"), path("copy.unfinished")).unwrap();
    let error = refused().to_string();
    assert!(error.contains("not a regular file"), "{error}");
    assert_eq!(fs::read_to_string(path("precious")).unwrap(), "kept");
}

#[tokio::test]
async fn links_to_the_database_are_followed_and_a_link_at_the_name_of_a_backup_is_refused() {
    let directory = directory_with_backup().await;
    let path = directory.path();
    symlink("elsewhere", path.join("dangling")).unwrap();
    symlink("db", path.join("link")).unwrap();
    let error = back_up(SCHEMA, &path.join("link"), &path.join("dangling")).unwrap_err();
    assert!(error.to_string().contains("already exists"), "{error}");
    assert!(!path.join("elsewhere").exists());
    restore(SCHEMA, &path.join("backup"), &path.join("link")).unwrap();
    assert!(path.join("link").is_symlink());
    assert_eq!(read_notes(&open(&directory, "db")), ["kept"]);
}
