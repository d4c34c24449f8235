//! Opening: what can be opened is, and what cannot is named and left exactly as it was.

use std::fs;

use petstore_server::store::{OpenError, Store};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::folder::contents;
use crate::store::fixture::{category, config};

/// Opens what is at `name` in `directory` in both ways, expects the same refusal, and that nothing is changed by it.
fn refused(directory: &TempDir, name: &str) -> OpenError {
    let config = config(directory.path().join(name));
    let before = contents(directory.path());
    let beside = Store::open_beside_server(&config)
        .map(drop)
        .expect_err("beside a server");
    let error = Store::open(&config).map(drop).expect_err("as the server");
    assert_eq!(beside.to_string(), error.to_string());
    let after = contents(directory.path());
    assert!(
        before.keys().eq(after.keys()),
        "{:?} became {:?}",
        before.keys(),
        after.keys()
    );
    assert!(before == after, "a file was changed");
    error
}

/// Expects that no second server gets what is at `name`.
fn in_use(directory: &TempDir, name: &str) {
    let second = Store::open(&config(directory.path().join(name)));
    let error = second.map(drop).unwrap_err();
    assert!(
        matches!(error, OpenError::InUse { .. }),
        "{name}: {error:?}"
    );
}

/// The parts of the database that a clean stop leaves.
fn left_behind(directory: &TempDir) -> Vec<String> {
    contents(directory.path()).into_keys().collect()
}

#[tokio::test]
async fn a_fresh_database_is_created_and_opened_again() {
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    for run in 0..2 {
        let store = Store::open(&config).unwrap();
        store
            .create_category(category(&run.to_string()), None)
            .await
            .unwrap();
        store.close().await.unwrap();
        drop(store);
        assert_eq!(left_behind(&directory), ["db", "db.lock"]);
    }
    let store = Store::open(&config).unwrap();
    assert_eq!(store.category(2).await.unwrap().name, "1");
}

#[tokio::test]
async fn a_store_dropped_without_closing_keeps_what_it_answered() {
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    let store = Store::open(&config).unwrap();
    store.create_category(category("Fish"), None).await.unwrap();
    drop(store);
    assert_eq!(left_behind(&directory), ["db", "db.lock"]);
    assert!(Store::open(&config).unwrap().category(1).await.is_ok());
}

#[test]
fn an_empty_file_or_a_blank_database_becomes_ours() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("empty"), "").unwrap();
    Store::open(&config(directory.path().join("empty"))).unwrap();

    let blank = Connection::open(directory.path().join("blank")).unwrap();
    blank.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    drop(blank);
    Store::open(&config(directory.path().join("blank"))).unwrap();
}

#[test]
fn a_second_server_is_turned_away_until_the_first_is_gone() {
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    let first = Store::open(&config).unwrap();
    let error = Store::open(&config).map(drop).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    assert!(
        error
            .to_string()
            .contains("in use by another petstore server"),
        "{error}"
    );
    drop(first);
    Store::open(&config).unwrap();
}

#[test]
fn another_name_or_a_lost_lock_file_lets_no_second_server_in() {
    let directory = TempDir::new().unwrap();
    let first = Store::open(&config(directory.path().join("db"))).unwrap();
    fs::hard_link(directory.path().join("db"), directory.path().join("other")).unwrap();
    fs::remove_file(directory.path().join("db.lock")).unwrap();
    for name in ["other", "db"] {
        in_use(&directory, name);
    }
    drop(first);
    Store::open(&config(directory.path().join("other"))).unwrap();
}

#[test]
fn a_database_that_was_removed_or_replaced_is_noticed() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("db");
    let store = Store::open(&config(path.clone())).unwrap();
    store.check().unwrap();
    fs::rename(&path, directory.path().join("kept")).unwrap();
    store.check().unwrap_err();
    fs::copy(directory.path().join("kept"), &path).unwrap();
    store.check().unwrap_err();
    fs::rename(directory.path().join("kept"), &path).unwrap();
    store.check().unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_to_a_database_that_is_yet_to_be_made_locks_that_database() {
    let directory = TempDir::new().unwrap();
    std::os::unix::fs::symlink("db", directory.path().join("link")).unwrap();
    let link = config(directory.path().join("link"));
    let first = Store::open(&link).unwrap();
    for name in ["link", "db"] {
        in_use(&directory, name);
    }
    drop(first);
}

#[tokio::test]
async fn an_operator_may_read_and_write_beside_the_server() {
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    let server = Store::open(&config).unwrap();
    let operator = Store::open_beside_server(&config).unwrap();
    operator
        .create_category(category("Fish"), None)
        .await
        .unwrap();
    assert_eq!(server.category(1).await.unwrap().name, "Fish");
    server
        .create_category(category("Bird"), None)
        .await
        .unwrap();
    assert_eq!(operator.category(2).await.unwrap().name, "Bird");
    operator.close().await.unwrap();
    drop(operator);
    server.create_category(category("Cat"), None).await.unwrap();
}

#[test]
fn an_operator_may_come_before_the_first_server() {
    let directory = TempDir::new().unwrap();
    let config = config(directory.path().join("db"));
    let operator = Store::open_beside_server(&config).unwrap();
    Store::open(&config).expect("the operator's lock was for the migration alone");
    drop(operator);
}

#[test]
fn a_directory_is_no_database() {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("db")).unwrap();
    let error = refused(&directory, "db");
    assert!(matches!(error, OpenError::IsDirectory { .. }), "{error:?}");
}

#[test]
fn the_directory_must_exist() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    let nameless = Store::open(&config("".into())).map(drop).unwrap_err();
    assert!(
        matches!(nameless, OpenError::NoAccess { .. }),
        "{nameless:?}"
    );
    for name in ["missing/db", "file/db"] {
        let error = refused(&directory, name);
        assert!(
            matches!(error, OpenError::NoParent { .. }),
            "{name}: {error:?}"
        );
    }
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("short"), "hello").unwrap();
    fs::write(directory.path().join("long"), "hello ".repeat(100)).unwrap();
    for name in ["short", "long"] {
        let error = refused(&directory, name);
        assert!(
            matches!(error, OpenError::NotADatabase { .. }),
            "{name}: {error:?}"
        );
    }
}

#[test]
fn the_database_of_another_application_is_left_alone() {
    let directory = TempDir::new().unwrap();
    let foreign = Connection::open(directory.path().join("marked")).unwrap();
    foreign
        .execute_batch("PRAGMA application_id = 5; CREATE TABLE t (x);")
        .unwrap();
    drop(foreign);
    let unmarked = Connection::open(directory.path().join("unmarked")).unwrap();
    unmarked.execute_batch("CREATE TABLE t (x);").unwrap();
    drop(unmarked);
    for (name, mark) in [("marked", 5), ("unmarked", 0)] {
        let error = refused(&directory, name);
        assert!(
            matches!(error, OpenError::Foreign { application_id, .. } if application_id == mark),
            "{name}: {error:?}"
        );
    }
}

#[test]
fn a_database_from_a_newer_version_is_left_alone() {
    let directory = TempDir::new().unwrap();
    drop(Store::open(&config(directory.path().join("db"))).unwrap());
    let newer = Connection::open(directory.path().join("db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let error = refused(&directory, "db");
    assert!(
        matches!(error, OpenError::TooNew { found: 99, .. }),
        "{error:?}"
    );
    assert!(
        error.to_string().contains("run a newer petstore"),
        "{error}"
    );
}

#[test]
fn a_version_that_no_petstore_gave_is_left_alone() {
    for version in [-1, 0] {
        let directory = TempDir::new().unwrap();
        drop(Store::open(&config(directory.path().join("db"))).unwrap());
        let marked = Connection::open(directory.path().join("db")).unwrap();
        marked.pragma_update(None, "user_version", version).unwrap();
        drop(marked);
        let error = refused(&directory, "db");
        assert!(
            matches!(error, OpenError::NoSuchVersion { found, .. } if found == version),
            "{error:?}"
        );
    }
}

#[test]
fn a_version_that_stands_only_in_the_log_counts() {
    let directory = TempDir::new().unwrap();
    drop(Store::open(&config(directory.path().join("db"))).unwrap());
    // As after a crash: the connection is still open, so its log was not folded back.
    let newer = Connection::open(directory.path().join("db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    let config = config(directory.path().join("db"));
    let before = contents(directory.path());
    let error = Store::open(&config).map(drop).unwrap_err();
    assert!(
        matches!(error, OpenError::TooNew { found: 99, .. }),
        "{error:?}"
    );
    let after = contents(directory.path());
    for name in ["db", "db-wal"] {
        assert!(before[name] == after[name], "{name} was changed");
    }
}

#[test]
fn a_database_that_cannot_be_written_is_left_alone() {
    // A lock file that is a directory refuses to be opened whoever asks, the superuser included.
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("db.lock")).unwrap();
    let error = refused(&directory, "db");
    assert!(matches!(error, OpenError::NoAccess { .. }), "{error:?}");
    assert!(error.to_string().contains("db.lock"), "{error}");
}

#[test]
fn what_was_created_before_a_failure_is_removed() {
    // The log, or the index of the log, cannot be written, as its name is taken by a directory.
    for (name, content) in [("absent", None), ("empty", Some(""))] {
        for taken in ["-wal", "-shm"] {
            let directory = TempDir::new().unwrap();
            fs::create_dir(directory.path().join(format!("{name}{taken}"))).unwrap();
            if let Some(content) = content {
                fs::write(directory.path().join(name), content).unwrap();
            }
            let error = refused(&directory, name);
            assert!(
                matches!(error, OpenError::Database { .. }),
                "{name}{taken}: {error:?}"
            );
        }
    }
}
