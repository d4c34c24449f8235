//! `petstore backup` and `petstore restore`, under load and after mistakes.

use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::binary::{Process, eventually, petstore};
use crate::folder::contents;
use crate::ops::server::{Server, run};
use crate::ops::storage::on_small_disk;

fn succeeds(directory: &Path, arguments: &[&str]) -> String {
    let output = run(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The one line of a command that could not be carried out.
fn complaint(output: &Output) -> String {
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
fn a_restore_brings_back_what_it_says() {
    let server = Server::start();
    let directory = server.directory.path().to_owned();
    let issued: Value = serde_json::from_str(&succeeds(
        &directory,
        &[
            "keys", "create", "--name", "partner", "--plan", "free", "--json",
        ],
    ))
    .unwrap();
    let revoked = issued["key"].as_str().unwrap();
    assert_eq!(server.create("Cat"), 201);
    succeeds(&directory, &["backup", "backup.db"]);

    assert_eq!(server.create("Dog"), 201);
    succeeds(&directory, &["keys", "revoke", &issued["id"].to_string()]);
    let since: Value = serde_json::from_str(&succeeds(
        &directory,
        &[
            "keys", "create", "--name", "since", "--plan", "free", "--json",
        ],
    ))
    .unwrap();
    let key = server.key.clone();
    let line = complaint(&run(&directory, &["restore", "backup.db"]));
    assert!(
        line.contains("is in use by another petstore server"),
        "{line}"
    );

    let directory = server.stop();
    let said = succeeds(directory.path(), &["restore", "backup.db"]);
    let expected = [
        format!("rotated since: {}\n", &revoked[..8]),
        format!("made since: {}\n", &since["key"].as_str().unwrap()[..8]),
        "quota spent since".to_owned(),
        "petstore.db.before-restore".to_owned(),
    ];
    for part in expected {
        assert!(said.contains(&part), "{part} is missing in\n{said}");
    }

    let mut server = Server::start_in(directory, &[]);
    server.key = key;
    assert_eq!(server.names(), ["Cat"]);
    server.key = revoked.to_owned();
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    server.key = since["key"].as_str().unwrap().to_owned();
    assert_eq!(server.send("GET", "/pets", "").code(), "invalid_api_key");

    // The way back: what it was before is a database like any other.
    let directory = server.stop();
    succeeds(directory.path(), &["restore", "petstore.db.before-restore"]);
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.names(), ["Cat", "Dog"]);
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
        (
            &["restore", "absent.db"],
            "there is no petstore database at",
        ),
        (&["restore", "damaged.db"], "damaged.db is damaged"),
        (&["restore", "newer.db"], "run a newer petstore"),
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
        (&["backup", "backup.db"], "exists already"),
        (&["backup", "petstore.db"], "exists already"),
        (&["backup", "folder"], "exists already"),
        (&["backup", "no/such/folder.db"], "is not a directory"),
        (
            &["backup", "copy.db", "--database", "absent.db"],
            "there is no petstore database at",
        ),
        // The names under which a copy is made are no way to lose what stands there.
        (
            &["backup", "copy", "--database", "copy.unfinished"],
            "there is no petstore database at",
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

/// A directory with a database that knows a cat and a dog, and a backup that knows the cat.
fn cat_and_dog() -> TempDir {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    succeeds(server.directory.path(), &["backup", "backup.db"]);
    assert_eq!(server.create("Dog"), 201);
    server.stop()
}

#[test]
fn a_restore_that_is_killed_at_any_point_is_not_begun_or_is_finished_by_the_next_command() {
    // What a restore does with the files, step by step, once the copy is whole.
    let steps = [
        ("backup.db", "petstore.db.restoring"),
        ("petstore.db-wal", "petstore.db.before-restore-wal"),
        ("petstore.db", "petstore.db.before-restore"),
        ("petstore.db.restoring", "petstore.db"),
    ];
    for done in 1..=steps.len() {
        let directory = cat_and_dog();
        let path = directory.path();
        // Something that must not be taken for the log of the backup.
        std::fs::write(path.join("petstore.db-wal"), "stale").unwrap();
        for (from, to) in &steps[..done] {
            std::fs::rename(path.join(from), path.join(to)).unwrap();
        }
        assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"], "{done}");
    }
    for command in [&["keys", "list"][..], &["backup", "more.db"]] {
        let directory = cat_and_dog();
        let path = directory.path();
        std::fs::rename(path.join("backup.db"), path.join("petstore.db.restoring")).unwrap();
        succeeds(path, command);
        assert!(!path.join("petstore.db.restoring").exists());
        assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"]);
    }
}

#[test]
fn the_way_back_that_is_cut_short_still_leads_back() {
    let directory = cat_and_dog();
    let path = directory.path();
    succeeds(path, &["restore", "backup.db"]);
    // Cut at its last step: what was before is in its place already.
    let (database, before, coming) = (
        path.join("petstore.db"),
        path.join("petstore.db.before-restore"),
        path.join("petstore.db.restoring"),
    );
    std::fs::rename(&before, &coming).unwrap();
    std::fs::rename(&database, &before).unwrap();
    let said = succeeds(path, &["restore", "petstore.db.before-restore"]);
    assert!(said.contains("petstore.db.before-restore"), "{said}");
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat", "Dog"]);
}

#[test]
fn a_restore_that_is_killed_leaves_a_database() {
    let directory = cat_and_dog();
    let path = directory.path();
    let mut restore = petstore();
    restore.current_dir(path).args(["restore", "backup.db"]);
    let restore = Process::run(&mut restore);
    eventually("the restore to begin", || {
        let marks = ["restoring.unfinished", "restoring", "before-restore"];
        let begun = |mark| path.join(format!("petstore.db.{mark}")).exists();
        marks.into_iter().any(begun).then_some(())
    });
    drop(restore);
    let names = Server::start_in(directory, &[]).names();
    assert!(names == ["Cat"] || names == ["Cat", "Dog"], "{names:?}");
}
