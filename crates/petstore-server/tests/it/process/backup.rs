//! The commands `backup` and `restore`: their output and their errors. The files are tested in `dropspec-store`.

use std::fs::File;
use std::path::Path;

use test_support::files::file_names;
use test_support::{ServerProcess, Storage, error_line, petstore, poll_until, run_petstore};

fn run_successfully(directory: &Path, arguments: &[&str]) -> String {
    let output = run_petstore(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn restore_replaces_the_database_and_keeps_the_old_one() {
    let server = ServerProcess::start_on_file();
    let directory = server.storage.path().to_owned();
    let revoked = server.create_key(&["--plan", "free"]);
    server.create_category("Cat");
    server.run_keys(&["change", "1", "--note", "before"]);
    run_successfully(&directory, &["backup", "backup.db"]);

    server.create_category("Dog");
    server.run_keys(&["change", "1", "--note", "after"]);
    server.run_keys(&["revoke", &revoked[..8]]);
    let new = server.create_key(&["--plan", "free"]);
    let line = error_line(&run_petstore(&directory, &["restore", "backup.db"]));
    assert!(line.contains("is in use by another server"), "{line}");

    let directory = server.stop();
    let stdout = run_successfully(directory.path(), &["restore", "backup.db"]);
    for part in [
        "requests counted since",
        "API keys revoked or rotated since are accepted again",
        "petstore.db.before-restore",
    ] {
        assert!(stdout.contains(part), "{part} is missing in\n{stdout}");
    }
    let server = ServerProcess::start_in(directory, &[]);
    let log = server.run_keys(&["log", "1", "--last", "1"]);
    assert_eq!(log[0]["new"], "before", "{log}");
    assert_eq!(server.category_names(), ["Cat"]);
    for (key, outcome) in [(revoked, "200"), (new, "401 invalid_api_key")] {
        assert_eq!(server.get_as(&key, "/pets").outcome(), outcome);
    }
    // The old database can be restored.
    let directory = server.stop();
    run_successfully(directory.path(), &["restore", "petstore.db.before-restore"]);
    let server = ServerProcess::start_in(directory, &[]);
    assert_eq!(server.category_names(), ["Cat", "Dog"]);
}

#[test]
fn failed_commands_end_with_status_2_and_one_line() {
    let directory = ServerProcess::start_on_file().stop();
    let path = directory.path();
    run_successfully(path, &["backup", "backup.db"]);
    for (command, expected) in [
        ("restore absent.db", "there is no database at"),
        ("restore petstore.db", "is the database itself"),
        ("backup backup.db", "already exists"),
        ("backup no/such/folder.db", "is not a directory"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let line = error_line(&run_petstore(path, &arguments));
        assert!(line.contains(expected), "{command}: {line}");
    }
    for arguments in [
        &["backup", "second.db"][..],
        &["restore", "backup.db"],
        &["keys", "create", "--name", "shop", "--plan", "free"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = petstore();
        command.current_dir(path).args(arguments).stdout(full);
        let line = error_line(&command.output().unwrap());
        let expected = "was carried out, but standard output";
        assert!(line.contains(expected), "{arguments:?}: {line}");
    }
    assert!(run_successfully(path, &["keys", "list"]).contains(" shop "));
}

#[test]
fn server_makes_backups_on_its_schedule_and_removes_the_oldest() {
    let storage = Storage::file();
    let folder = storage.path().join("backups");
    std::fs::create_dir(&folder).unwrap();
    let names = [
        "notes.txt",
        "petstore-2026-01-01T000000Z.db",
        "petstore-2026-01-02T000000Z.db",
    ];
    for name in names {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let arguments = ["--backup-folder", "backups", "--backup-keep", "2"];
    let server = ServerProcess::start_in(storage, &arguments);
    poll_until("a backup", || {
        (server.metric("petstore_backups_total{outcome=\"made\"}") == 1).then_some(())
    });
    let found = file_names(&folder);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!([&*found[0], &*found[1]], [names[0], names[2]]);
    run_successfully(&folder, &["keys", "list", "--database", &found[2]]);
}

#[test]
fn schedule_of_backups_that_cannot_be_kept_is_an_error_at_the_start() {
    let folder = tempfile::TempDir::new().unwrap();
    for (arguments, expected) in [
        (
            "--backup-folder absent",
            "--backup-folder does not exist: absent; create it",
        ),
        (
            "--backup-folder . --database postgres://localhost/pets",
            "pg_dump",
        ),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = run_petstore(folder.path(), &[&["serve"], &arguments[..]].concat());
        let line = error_line(&output);
        assert!(line.contains(expected), "{line}");
    }
    assert_eq!(file_names(folder.path()), [""; 0]);
}
