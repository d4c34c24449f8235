//! `petstore restore`: what it brings back, what it says of that, and what is left when it is cut short.

use serde_json::Value;
use tempfile::TempDir;

use crate::binary::{Process, eventually, petstore};
use crate::ops::backup::{complaint, succeeds};
use crate::ops::server::{Server, run};

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
    let rotated = &key[..8];
    succeeds(&directory, &["keys", "rotate", rotated, "--overlap", "0s"]);
    let line = complaint(&run(&directory, &["restore", "backup.db"]));
    assert!(line.contains("is in use by another server"), "{line}");

    let directory = server.stop();
    let said = succeeds(directory.path(), &["restore", "backup.db"]);
    for part in [
        "quota spent since",
        "API keys revoked or rotated since are accepted again",
        "petstore.db.before-restore",
    ] {
        assert!(said.contains(part), "{part} is missing in\n{said}");
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

/// A directory with a database that knows a cat and a dog, and a backup that knows the cat, as the server left it.
fn cat_and_dog(end: fn(Server) -> TempDir) -> TempDir {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    succeeds(server.directory.path(), &["backup", "backup.db"]);
    assert_eq!(server.create("Dog"), 201);
    end(server)
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
        // The dog is in the log alone, which must not be taken for the log of the backup.
        let directory = cat_and_dog(Server::kill);
        let path = directory.path();
        for (from, to) in &steps[..done] {
            std::fs::rename(path.join(from), path.join(to)).unwrap();
        }
        assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"], "{done}");
    }
    for command in [&["keys", "list"][..], &["backup", "more.db"]] {
        let directory = cat_and_dog(Server::stop);
        let path = directory.path();
        std::fs::rename(path.join("backup.db"), path.join("petstore.db.restoring")).unwrap();
        succeeds(path, command);
        assert!(!path.join("petstore.db.restoring").exists());
        assert_eq!(Server::start_in(directory, &[]).names(), ["Cat"]);
    }
}

#[test]
fn what_a_killed_server_left_in_its_log_is_in_a_backup_and_on_the_way_back() {
    let directory = cat_and_dog(Server::kill);
    let path = directory.path();
    succeeds(path, &["backup", "both.db"]);
    succeeds(path, &["restore", "backup.db"]);
    succeeds(path, &["restore", "petstore.db.before-restore"]);
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.names(), ["Cat", "Dog"]);
    let directory = server.kill();
    succeeds(directory.path(), &["restore", "both.db"]);
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat", "Dog"]);
}

#[test]
fn a_log_that_outlived_its_database_is_mixed_with_nothing() {
    // A first restore keeps the cat and the dog.
    let directory = cat_and_dog(Server::stop);
    succeeds(directory.path(), &["restore", "backup.db"]);
    // The server leaves a mouse in its log, and somebody removes the database.
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.create("Mouse"), 201);
    let directory = server.kill();
    let path = directory.path();
    std::fs::remove_file(path.join("petstore.db")).unwrap();
    assert!(path.join("petstore.db-wal").exists());
    succeeds(path, &["restore", "backup.db"]);
    for place in ["petstore.db", "petstore.db.before-restore"] {
        assert!(!path.join(format!("{place}-wal")).exists(), "{place}");
    }
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.names(), ["Cat"]);
    let directory = server.stop();
    succeeds(directory.path(), &["restore", "petstore.db.before-restore"]);
    let names = Server::start_in(directory, &[]).names();
    assert_eq!(names, ["Cat", "Dog"]);
}

#[test]
fn a_database_does_not_take_its_own_place() {
    let directory = cat_and_dog(Server::stop);
    let path = directory.path();
    succeeds(path, &["restore", "backup.db"]);
    let line = complaint(&run(path, &["restore", "petstore.db"]));
    assert!(line.contains("is the database itself"), "{line}");
    // What was kept is kept still.
    succeeds(path, &["restore", "petstore.db.before-restore"]);
    assert_eq!(Server::start_in(directory, &[]).names(), ["Cat", "Dog"]);
}

#[test]
fn the_way_back_that_is_cut_short_still_leads_back() {
    let directory = cat_and_dog(Server::stop);
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
    let directory = cat_and_dog(Server::stop);
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
