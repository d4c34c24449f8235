//! What the server does not start on: one line says why, and nothing in the folder is created or changed.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;

use super::running::{Running, serve};
use crate::binary::{Process, petstore};
use crate::folder::contents;

/// Runs a command that cannot start a server, and returns the line that says why.
#[track_caller]
fn refused(folder: &Path, command: &mut Command) -> String {
    let before = contents(folder);
    let mut process = Process::run(command);
    assert_eq!(process.line(), "", "it claims to listen");
    let (status, said) = process.end();
    assert_eq!(status.code(), Some(2), "{said}");
    let after = contents(folder);
    assert!(
        before.keys().eq(after.keys()),
        "now there are {:?}",
        after.keys()
    );
    assert!(before == after, "a file was changed");

    let reason = said.strip_prefix("petstore: ").unwrap();
    let reason = reason.strip_suffix('\n').unwrap();
    assert!(!reason.contains('\n'), "one line, not {said}");
    reason.to_owned()
}

/// What a name in a folder is refused with, without the folder in it.
#[track_caller]
fn database_refused(folder: &TempDir, name: &str) -> String {
    let reason = refused(folder.path(), &mut serve(&folder.path().join(name)));
    let canonical = folder.path().canonicalize().unwrap();
    let reason = reason.replace(&format!("{}/", canonical.display()), "");
    reason.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn a_taken_port() {
    let folder = TempDir::new().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = petstore();
    command
        .args(["serve", "--listen", &address, "--database"])
        .arg(folder.path().join("db"));
    let reason = refused(folder.path(), &mut command);
    let expected = format!("cannot listen on {address}: Address already in use");
    assert!(reason.starts_with(&expected), "{reason}");
}

#[test]
fn one_port_for_the_public_and_the_panel() {
    let folder = TempDir::new().unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let address = address.unwrap().to_string();
    let mut command = petstore();
    command
        .args(["serve", "--listen", &address, "--admin-listen", &address])
        .arg("--database")
        .arg(folder.path().join("db"));
    // A database that was made would hold a first key that nobody was shown.
    let reason = refused(folder.path(), &mut command);
    let expected = format!("cannot listen on {address}: Address already in use");
    assert!(reason.starts_with(&expected), "{reason}");
}

#[test]
fn a_path_that_cannot_be_written() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::create_dir(folder.path().join("locked.lock")).unwrap();
    assert_eq!(
        database_refused(&folder, "file/db"),
        "file/db cannot be a database, as file is not a directory; create it or name another"
    );
    assert_eq!(
        database_refused(&folder, "missing/db"),
        "missing/db cannot be a database, as missing is not a directory; create it or name another"
    );
    assert_eq!(
        database_refused(&folder, "folder"),
        "folder is a directory; name a file for the database"
    );
    // Refused whoever asks, the superuser included, whom no permission stops.
    let reason = database_refused(&folder, "locked");
    let expected = "locked.lock cannot be opened for reading and writing; check the permissions";
    assert!(reason.starts_with(expected), "{reason}");
}

#[test]
fn a_file_of_somebody_else() {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("notes.txt"),
        "Feed the cat.\n".repeat(20),
    )
    .unwrap();
    assert_eq!(
        database_refused(&folder, "notes.txt"),
        "notes.txt is not a SQLite database; the file was not changed, name another file"
    );
    let other = Connection::open(folder.path().join("other.db")).unwrap();
    other
        .execute_batch("PRAGMA application_id = 0x1234; CREATE TABLE cats (name);")
        .unwrap();
    drop(other);
    assert_eq!(
        database_refused(&folder, "other.db"),
        "other.db is the database of another application (application_id 0x00001234); the file was not changed, name \
         another file"
    );
}

#[test]
fn a_database_of_a_newer_petstore() {
    let folder = TempDir::new().unwrap();
    Running::start(&folder.path().join("db")).kill();
    let newer = Connection::open(folder.path().join("db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let reason = database_refused(&folder, "db");
    assert!(
        reason.starts_with("db has schema version 99, this program supports versions up to "),
        "{reason}"
    );
    assert!(reason.ends_with("run a newer version"), "{reason}");
}

#[tokio::test]
async fn a_database_that_another_server_has() {
    let folder = TempDir::new().unwrap();
    let first = Running::start(&folder.path().join("db"));
    assert_eq!(
        database_refused(&folder, "db"),
        "db is in use by another server; stop it first, or name another file"
    );
    // Another name of the same file is the same database.
    std::os::unix::fs::symlink(folder.path().join("db"), folder.path().join("alias")).unwrap();
    assert_eq!(
        database_refused(&folder, "alias"),
        "db is in use by another server; stop it first, or name another file"
    );
    first.client.list_pets().send().await.unwrap();
    first.kill();
    Running::start(&folder.path().join("db")).kill();
}
