//! `petstore restore`: its result, its output, and the database when it is killed. The engine tests each step.

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

#[test]
fn killed_restore_leaves_the_old_or_the_new_database() {
    let server = ServerProcess::start();
    server.create_category("Cat");
    run_successfully(server.directory.path(), &["backup", "backup.db"]);
    server.create_category("Dog");
    let directory = server.stop();
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
