//! `petstore backup` and `petstore restore`, under load and after mistakes.

use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::ops::server::{Server, run};

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

fn files(directory: &Path) -> Vec<String> {
    let entries = directory.read_dir().unwrap();
    let mut names: Vec<_> = entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
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
    let before = files(path);
    for (arguments, expected) in [
        (["restore", "text.db"], "is not a SQLite database"),
        (["restore", "absent.db"], "there is no petstore database at"),
        (["restore", "damaged.db"], "damaged.db"),
        (["backup", "backup.db"], "exists already"),
        (["backup", "no/such/folder.db"], "could not be copied"),
    ] {
        let line = complaint(&run(path, &arguments));
        assert!(line.contains(expected), "{arguments:?}: {line}");
        assert_eq!(files(path), before, "{arguments:?}");
    }
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.names(), ["Cat"]);
}

#[test]
fn a_restore_that_was_cut_short_is_noticed_and_can_be_repeated() {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    let directory = server.stop();
    let path = directory.path();
    succeeds(path, &["backup", "backup.db"]);
    // As a power failure leaves it: the old database is moved away, the new one not yet in its place.
    std::fs::rename(
        path.join("petstore.db"),
        path.join("petstore.db.before-restore"),
    )
    .unwrap();
    std::fs::write(path.join("petstore.db.restoring"), "half").unwrap();
    for command in [
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
        ][..],
        &["backup", "more.db"],
    ] {
        let line = complaint(&run(path, command));
        assert!(line.contains("run `petstore restore` again"), "{line}");
    }
    // Nor does one that fails make the database new.
    complaint(&run(path, &["restore", "absent.db"]));
    complaint(&run(
        path,
        &[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "127.0.0.1:0",
        ],
    ));
    succeeds(path, &["restore", "backup.db"]);
    let server = Server::start_in(directory, &[]);
    assert_eq!(server.names(), ["Cat"]);
}
