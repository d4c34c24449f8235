//! `petstore backup`: under load, after mistakes, on a full disk, killed. What it makes is restored.

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use crate::binary::{Process, eventually, petstore};
use crate::folder::contents;
use crate::ops::server::{Server, run};
use crate::ops::storage::on_small_disk;

pub fn succeeds(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a command that could not be carried out.
pub fn complaint(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn a_backup_under_load_holds_what_was_acknowledged_before_it() {
    let server = Server::start();
    let done = AtomicBool::new(false);
    let mut acknowledged = Vec::new();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (server, done) = (&server, &done);
            scope.spawn(move || {
                for number in (0..).take_while(|_| !done.load(Ordering::SeqCst)) {
                    assert_eq!(server.create(&format!("{client}-{number}")), 201);
                }
            });
        }
        for round in 0..5 {
            let name = format!("before {round}");
            assert_eq!(server.create(&name), 201);
            acknowledged.push(name);
            succeeds(server.directory.path(), &["backup", &format!("{round}.db")]);
        }
        done.store(true, Ordering::SeqCst);
    });
    let directory = server.stop();
    for round in 0..5 {
        succeeds(
            directory.path(),
            &[
                "restore",
                &format!("{round}.db"),
                "--database",
                &format!("restored-{round}.db"),
            ],
        );
    }
    // A server on the last of them shows it whole.
    succeeds(directory.path(), &["restore", "4.db"]);
    let server = Server::start_in(directory, &[]);
    let kept = server.names();
    for name in &acknowledged {
        assert!(
            kept.contains(name),
            "{name} was acknowledged before the backup, and is not in it"
        );
    }
}

#[test]
fn what_is_no_backup_is_refused_and_changes_nothing() {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    let directory = server.stop();
    let path = directory.path();
    succeeds(path, &["backup", "backup.db"]);
    std::fs::write(path.join("text.db"), "not a database").unwrap();
    let mut damaged = std::fs::read(path.join("backup.db")).unwrap();
    let middle = damaged.len() / 2;
    damaged[4096..middle].fill(0x55);
    std::fs::write(path.join("damaged.db"), damaged).unwrap();
    std::fs::copy(path.join("backup.db"), path.join("newer.db")).unwrap();
    let newer = Connection::open(path.join("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    let foreign = Connection::open(path.join("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(foreign);
    std::fs::create_dir(path.join("folder")).unwrap();
    let before = contents(path);
    for (arguments, expected) in [
        (&["restore", "text.db"][..], "is not a SQLite database"),
        (&["restore", "absent.db"], "there is no database at"),
        (&["restore", "damaged.db"], "damaged.db is damaged"),
        (
            &["restore", "damaged.db", "--database", "new.db"],
            "damaged.db is damaged",
        ),
        (&["restore", "newer.db"], "run a newer version"),
        (&["restore", "foreign.db"], "of another application"),
        (&["restore", "folder"], "folder is a directory"),
        (
            &["restore", "backup.db", "--database", "folder"],
            "folder is a directory",
        ),
        (
            &["restore", "backup.db", "--database", "no/such/folder.db"],
            "is not a directory",
        ),
        (&["backup", "backup.db"], "already exists"),
        (&["backup", "petstore.db"], "already exists"),
        (&["backup", "folder"], "already exists"),
        (&["backup", "no/such/folder.db"], "is not a directory"),
        (
            &["backup", "copy.db", "--database", "absent.db"],
            "there is no database at",
        ),
        // The names under which a copy is made are no way to lose what stands there.
        (
            &["backup", "copy", "--database", "copy.unfinished"],
            "there is no database at",
        ),
    ] {
        let line = complaint(&run(path, arguments));
        assert!(line.contains(expected), "{arguments:?}: {line}");
        assert!(contents(path) == before, "{arguments:?}");
    }
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"]);
}

#[test]
fn a_database_that_is_locked_for_good_is_not_taken_for_an_empty_one() {
    let directory = Server::start().stop();
    let path = directory.path();
    let other = Connection::open(path.join("petstore.db")).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let line = complaint(&run(path, &["backup", "backup.db"]));
    assert!(line.contains("is locked by another process"), "{line}");
    assert!(!path.join("backup.db").exists() && !path.join("backup.db.unfinished").exists());
}

#[test]
fn who_cannot_be_told_what_was_done_knows_that_it_was() {
    let directory = Server::start().stop();
    let path = directory.path();
    for arguments in [
        &["backup", "backup.db"][..],
        &["restore", "backup.db"],
        &["keys", "create", "--name", "shop", "--plan", "free"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = petstore();
        command.current_dir(path).args(arguments).stdout(full);
        let line = complaint(&command.output().unwrap());
        assert!(
            line.contains("was carried out, but standard output"),
            "{arguments:?}: {line}"
        );
    }
    assert!(path.join("petstore.db.before-restore").exists());
    assert!(succeeds(path, &["keys", "list"]).contains(" shop "));
}

#[test]
fn two_backups_to_one_name_do_not_mix() {
    let directory = Server::start().stop();
    let path = directory.path();
    let other = File::create(path.join("backup.db.unfinished")).unwrap();
    other.lock().unwrap();
    let line = complaint(&run(path, &["backup", "backup.db"]));
    assert!(line.contains("is being written by another"), "{line}");
    assert!(path.join("backup.db.unfinished").exists(), "it is not ours");
    other.unlock().unwrap();
    succeeds(path, &["backup", "backup.db"]);
    assert!(!path.join("backup.db.unfinished").exists());
}

#[test]
fn a_copy_is_for_whom_the_original_is_for() {
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let directory = Server::start().stop();
    let (database, backup) = (
        directory.path().join("petstore.db"),
        directory.path().join("backup.db"),
    );
    std::fs::set_permissions(&database, Permissions::from_mode(0o600)).unwrap();
    succeeds(directory.path(), &["backup", "backup.db"]);
    assert_eq!(mode(&backup), 0o600);
    std::fs::set_permissions(&backup, Permissions::from_mode(0o444)).unwrap();
    succeeds(directory.path(), &["restore", "backup.db"]);
    assert_eq!(mode(&database), 0o600);
}

#[test]
fn a_backup_on_a_full_disk_leaves_nothing_behind() {
    let directory = Server::start().stop();
    let path = directory.path();
    std::fs::create_dir(path.join("disk")).unwrap();
    let Some(mut command) = on_small_disk("16k", "\"$@\"; ls disk") else {
        return;
    };
    let output = command
        .current_dir(path)
        .args(["backup", "disk/backup.db"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("database or disk is full"), "{said}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}

#[test]
fn links_lead_to_the_database_and_the_backup() {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    let directory = server.stop();
    let path = directory.path();
    std::fs::create_dir(path.join("elsewhere")).unwrap();
    symlink("elsewhere/backup.db", path.join("backup")).unwrap();
    symlink("petstore.db", path.join("link")).unwrap();
    succeeds(path, &["backup", "backup", "--database", "link"]);
    assert!(path.join("elsewhere/backup.db").is_file());
    succeeds(path, &["restore", "backup", "--database", "link"]);
    assert!(path.join("link").is_symlink() && path.join("backup").is_symlink());
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"]);
}

#[test]
fn a_backup_that_is_killed_is_no_backup_and_can_be_made_again() {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    let directory = server.stop();
    let path = directory.path();
    let mut backup = petstore();
    backup.current_dir(path).args(["backup", "backup.db"]);
    let backup = Process::run(&mut backup);
    eventually("the backup to begin", || {
        let begun = path.join("backup.db.unfinished").exists() || path.join("backup.db").exists();
        begun.then_some(())
    });
    drop(backup);
    // It may have been too quick for us.
    if !path.join("backup.db").exists() {
        std::fs::write(path.join("backup.db.unfinished-journal"), "stale").unwrap();
        succeeds(path, &["backup", "backup.db"]);
    }
    assert!(!path.join("backup.db.unfinished-journal").exists());
    succeeds(path, &["restore", "backup.db"]);
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"]);
}
