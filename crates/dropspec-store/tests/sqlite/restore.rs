//! Restores: what they replace, how they are undone, and how an interrupted one is completed.

use std::fs;
use std::path::{Path, PathBuf};

use dropspec_store::sqlite::{Engine, OpenError, back_up, restore};
use tempfile::TempDir;

use crate::crash::crash;
use crate::fixture::{SCHEMA, config, file_names, open, read_notes, write_note};

/// A directory with the database `db`, which contains the notes 1 and 2, and the backup `backup` with note 1.
/// After a crash note 2 is in the log alone.
async fn directory_with_backup(end: fn(&Path, Engine)) -> TempDir {
    let directory = TempDir::new().unwrap();
    let path = directory.path();
    let engine = open(&directory, "db");
    write_note(&engine, "1").await;
    back_up(SCHEMA, &path.join("db"), &path.join("backup")).unwrap();
    write_note(&engine, "2").await;
    end(path, engine);
    directory
}

fn stop(_: &Path, engine: Engine) {
    drop(engine);
}

/// Restores `backup` to `db`.
fn restore_in(directory: &TempDir, backup: &str) -> Result<Option<PathBuf>, OpenError> {
    let path = directory.path().canonicalize().unwrap();
    restore(SCHEMA, &path.join(backup), &path.join("db"))
}

fn notes_in(directory: &TempDir, name: &str) -> Vec<String> {
    read_notes(&open(directory, name))
}

#[tokio::test]
async fn restore_replaces_the_database_and_can_be_undone() {
    let directory = directory_with_backup(stop).await;
    let previous = restore_in(&directory, "backup").unwrap().unwrap();
    assert!(previous.ends_with("db.before-restore"), "{previous:?}");
    assert_eq!(notes_in(&directory, "db"), ["1"]);
    restore_in(&directory, "db.before-restore").unwrap();
    assert_eq!(notes_in(&directory, "db"), ["1", "2"]);
}

#[tokio::test]
async fn restore_creates_a_missing_database() {
    let directory = directory_with_backup(stop).await;
    let path = directory.path();
    let previous = restore(SCHEMA, &path.join("backup"), &path.join("new")).unwrap();
    assert_eq!(previous, None);
    assert_eq!(notes_in(&directory, "new"), ["1"]);
}

#[tokio::test]
async fn restore_is_rejected_while_a_server_runs() {
    let directory = directory_with_backup(stop).await;
    let server = open(&directory, "db");
    let error = restore_in(&directory, "backup").unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    assert_eq!(read_notes(&server), ["1", "2"]);
    assert_eq!(
        file_names(&directory),
        ["backup", "db", "db-shm", "db-wal", "db.lock"]
    );
}

#[tokio::test]
async fn damaged_database_can_be_replaced() {
    let directory = directory_with_backup(stop).await;
    fs::write(directory.path().join("db"), "damaged").unwrap();
    restore_in(&directory, "backup").unwrap();
    assert_eq!(notes_in(&directory, "db"), ["1"]);
}

#[tokio::test]
async fn interrupted_restore_is_completed_by_the_next_open() {
    // The steps of a restore after the copy is complete.
    let steps = [
        ("backup", "db.restoring"),
        ("db-wal", "db.before-restore-wal"),
        ("db", "db.before-restore"),
        ("db.restoring", "db"),
    ];
    for done in 1..=steps.len() {
        let directory = directory_with_backup(crash).await;
        let path = directory.path();
        for (from, to) in &steps[..done] {
            fs::rename(path.join(from), path.join(to)).unwrap();
        }
        assert_eq!(notes_in(&directory, "db"), ["1"], "after {done} steps");
        assert_eq!(
            notes_in(&directory, "db.before-restore"),
            ["1", "2"],
            "after {done} steps, with the log"
        );
    }
}

#[tokio::test]
async fn interrupted_restore_is_completed_by_any_command() {
    type Command = fn(&Path);
    let commands: [Command; 3] = [
        |path| drop(Engine::open_beside_server(SCHEMA, &config(path.join("db"))).unwrap()),
        |path| back_up(SCHEMA, &path.join("db"), &path.join("copy")).unwrap(),
        |path| drop(restore(SCHEMA, &path.join("db.restoring"), &path.join("db")).unwrap()),
    ];
    for command in commands {
        let directory = directory_with_backup(stop).await;
        let path = directory.path();
        fs::rename(path.join("backup"), path.join("db.restoring")).unwrap();
        command(path);
        assert!(!path.join("db.restoring").exists());
        assert_eq!(notes_in(&directory, "db"), ["1"]);
    }
}

#[tokio::test]
async fn interrupted_undo_of_a_restore_is_completed_by_repeating_it() {
    let directory = directory_with_backup(stop).await;
    let path = directory.path();
    restore_in(&directory, "backup").unwrap();
    // Interrupted before its last step.
    fs::rename(path.join("db.before-restore"), path.join("db.restoring")).unwrap();
    fs::rename(path.join("db"), path.join("db.before-restore")).unwrap();
    restore_in(&directory, "db.before-restore").unwrap();
    assert_eq!(notes_in(&directory, "db"), ["1", "2"]);
}

#[tokio::test]
async fn notes_in_the_log_of_a_crashed_server_are_in_backups_and_can_be_restored() {
    let directory = directory_with_backup(crash).await;
    let path = directory.path();
    back_up(SCHEMA, &path.join("db"), &path.join("both")).unwrap();
    assert_eq!(notes_in(&directory, "both"), ["1", "2"]);

    let directory = directory_with_backup(crash).await;
    restore_in(&directory, "backup").unwrap();
    restore_in(&directory, "db.before-restore").unwrap();
    assert_eq!(notes_in(&directory, "db"), ["1", "2"]);
}

#[tokio::test]
async fn log_of_a_removed_database_is_combined_with_no_other() {
    let directory = directory_with_backup(stop).await;
    let path = directory.path();
    restore_in(&directory, "backup").unwrap();
    let engine = open(&directory, "db");
    write_note(&engine, "3").await;
    crash(path, engine);
    fs::remove_file(path.join("db")).unwrap();
    assert!(path.join("db-wal").exists());

    restore_in(&directory, "backup").unwrap();
    for name in ["db-wal", "db.before-restore-wal"] {
        assert!(!path.join(name).exists(), "{name}");
    }
    assert_eq!(notes_in(&directory, "db"), ["1"]);
    restore_in(&directory, "db.before-restore").unwrap();
    assert_eq!(notes_in(&directory, "db"), ["1", "2"]);
}

#[tokio::test]
async fn log_of_the_database_before_an_earlier_restore_is_removed() {
    let directory = directory_with_backup(crash).await;
    restore_in(&directory, "backup").unwrap();
    assert!(directory.path().join("db.before-restore-wal").exists());
    let engine = open(&directory, "db");
    write_note(&engine, "3").await;
    drop(engine);
    restore_in(&directory, "backup").unwrap();
    assert!(!directory.path().join("db.before-restore-wal").exists());
    assert_eq!(notes_in(&directory, "db.before-restore"), ["1", "3"]);
}
