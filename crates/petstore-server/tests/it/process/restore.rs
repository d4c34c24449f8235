//! `petstore restore`: its result, its output, and the files when it is interrupted.

use tempfile::TempDir;
use test_support::{Process, ServerProcess, petstore, poll_until, run_keys, run_petstore};

use super::backup::{error_line, run_successfully};

#[test]
fn restore_replaces_the_database_and_keeps_the_old_one() {
    let server = ServerProcess::start();
    let directory = server.directory.path().to_owned();
    let revoked = server.create_key(&["--plan", "free"]);
    server.create_category("Cat");
    run_successfully(&directory, &["backup", "backup.db"]);

    server.create_category("Dog");
    run_keys(&server.database(), &["revoke", &revoked[..8]]);
    let new = server.create_key(&["--plan", "free"]);
    let rotated = server.key.clone();
    let rotate = ["rotate", &rotated[..8], "--overlap", "0s"];
    run_keys(&server.database(), &rotate);
    let line = error_line(&run_petstore(&directory, &["restore", "backup.db"]));
    assert!(line.contains("is in use by another server"), "{line}");

    let directory = server.stop();
    let stdout = run_successfully(directory.path(), &["restore", "backup.db"]);
    for part in [
        "quota spent since",
        "API keys revoked or rotated since are accepted again",
        "petstore.db.before-restore",
    ] {
        assert!(stdout.contains(part), "{part} is missing in\n{stdout}");
    }

    let mut server = ServerProcess::start_in(directory, &[]);
    server.key = rotated;
    assert_eq!(server.category_names(), ["Cat"]);
    for (key, outcome) in [(revoked, "200"), (new, "401 invalid_api_key")] {
        server.key = key;
        assert_eq!(server.send("GET", "/pets", "").outcome(), outcome);
    }

    // The old database can be restored.
    let directory = server.stop();
    run_successfully(directory.path(), &["restore", "petstore.db.before-restore"]);
    let server = ServerProcess::start_in(directory, &[]);
    assert_eq!(server.category_names(), ["Cat", "Dog"]);
}

/// A directory with a database of the categories Cat and Dog, and a backup with Cat only.
fn create_cat_and_dog(end: fn(ServerProcess) -> TempDir) -> TempDir {
    let server = ServerProcess::start();
    server.create_category("Cat");
    run_successfully(server.directory.path(), &["backup", "backup.db"]);
    server.create_category("Dog");
    end(server)
}

#[test]
fn interrupted_restore_is_finished_by_the_next_command() {
    // The steps of a restore after the backup is copied.
    let steps = [
        ("backup.db", "petstore.db.restoring"),
        ("petstore.db-wal", "petstore.db.before-restore-wal"),
        ("petstore.db", "petstore.db.before-restore"),
        ("petstore.db.restoring", "petstore.db"),
    ];
    for done in 1..=steps.len() {
        // Dog is only in the write-ahead log, which does not belong to the backup.
        let directory = create_cat_and_dog(ServerProcess::kill);
        let path = directory.path();
        for (from, to) in &steps[..done] {
            std::fs::rename(path.join(from), path.join(to)).unwrap();
        }
        assert_eq!(
            ServerProcess::start_in(directory, &[]).category_names(),
            ["Cat"],
            "{done}"
        );
    }
    for command in [&["keys", "list"][..], &["backup", "more.db"]] {
        let directory = create_cat_and_dog(ServerProcess::stop);
        let path = directory.path();
        std::fs::rename(path.join("backup.db"), path.join("petstore.db.restoring")).unwrap();
        run_successfully(path, command);
        assert!(!path.join("petstore.db.restoring").exists());
        assert_eq!(
            ServerProcess::start_in(directory, &[]).category_names(),
            ["Cat"]
        );
    }
}

#[test]
fn write_ahead_log_of_a_killed_server_is_backed_up_and_kept() {
    let directory = create_cat_and_dog(ServerProcess::kill);
    let path = directory.path();
    run_successfully(path, &["backup", "both.db"]);
    run_successfully(path, &["restore", "backup.db"]);
    run_successfully(path, &["restore", "petstore.db.before-restore"]);
    let server = ServerProcess::start_in(directory, &[]);
    assert_eq!(server.category_names(), ["Cat", "Dog"]);
    let directory = server.kill();
    run_successfully(directory.path(), &["restore", "both.db"]);
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat", "Dog"]
    );
}

#[test]
fn write_ahead_log_without_its_database_is_ignored() {
    // A first restore keeps Cat and Dog.
    let directory = create_cat_and_dog(ServerProcess::stop);
    run_successfully(directory.path(), &["restore", "backup.db"]);
    // Mouse is only in the write-ahead log, and the database is removed.
    let server = ServerProcess::start_in(directory, &[]);
    server.create_category("Mouse");
    let directory = server.kill();
    let path = directory.path();
    std::fs::remove_file(path.join("petstore.db")).unwrap();
    assert!(path.join("petstore.db-wal").exists());
    run_successfully(path, &["restore", "backup.db"]);
    for place in ["petstore.db", "petstore.db.before-restore"] {
        assert!(!path.join(format!("{place}-wal")).exists(), "{place}");
    }
    let server = ServerProcess::start_in(directory, &[]);
    assert_eq!(server.category_names(), ["Cat"]);
    let directory = server.stop();
    run_successfully(directory.path(), &["restore", "petstore.db.before-restore"]);
    let names = ServerProcess::start_in(directory, &[]).category_names();
    assert_eq!(names, ["Cat", "Dog"]);
}

#[test]
fn restore_of_the_database_itself_is_rejected() {
    let directory = create_cat_and_dog(ServerProcess::stop);
    let path = directory.path();
    run_successfully(path, &["restore", "backup.db"]);
    let line = error_line(&run_petstore(path, &["restore", "petstore.db"]));
    assert!(line.contains("is the database itself"), "{line}");
    // The old database is still there.
    run_successfully(path, &["restore", "petstore.db.before-restore"]);
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat", "Dog"]
    );
}

#[test]
fn interrupted_restore_of_the_old_database_can_be_repeated() {
    let directory = create_cat_and_dog(ServerProcess::stop);
    let path = directory.path();
    run_successfully(path, &["restore", "backup.db"]);
    // Interrupted before its last step.
    let (database, before, coming) = (
        path.join("petstore.db"),
        path.join("petstore.db.before-restore"),
        path.join("petstore.db.restoring"),
    );
    std::fs::rename(&before, &coming).unwrap();
    std::fs::rename(&database, &before).unwrap();
    let stdout = run_successfully(path, &["restore", "petstore.db.before-restore"]);
    assert!(stdout.contains("petstore.db.before-restore"), "{stdout}");
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat", "Dog"]
    );
}

#[test]
fn killed_restore_leaves_the_old_or_the_new_database() {
    let directory = create_cat_and_dog(ServerProcess::stop);
    let path = directory.path();
    let mut restore = petstore();
    restore.current_dir(path).args(["restore", "backup.db"]);
    let restore = Process::run(&mut restore);
    poll_until("the restore to begin", || {
        let marks = ["restoring.unfinished", "restoring", "before-restore"];
        let begun = |mark| path.join(format!("petstore.db.{mark}")).exists();
        marks.into_iter().any(begun).then_some(())
    });
    drop(restore);
    let names = ServerProcess::start_in(directory, &[]).category_names();
    assert!(names == ["Cat"] || names == ["Cat", "Dog"], "{names:?}");
}
