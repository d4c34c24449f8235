//! The commands `backup` and `restore`: their output and their errors. The files are tested in `sqlite-engine`.

use std::fs::File;
use std::path::Path;
use std::process::Output;

use rusqlite::Connection;
use test_support::files::file_names;
use test_support::{ServerProcess, Storage, petstore, poll_until, run_petstore};

use super::store_outages::on_small_disk;

fn run_successfully(directory: &Path, arguments: &[&str]) -> String {
    let output = run_petstore(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line on standard error of a command that failed.
fn error_line(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn restore_replaces_the_database_and_keeps_the_old_one() {
    let server = ServerProcess::start_on_file();
    let directory = server.storage.path().to_owned();
    let revoked = server.create_key(&["--plan", "free"]);
    server.create_category("Cat");
    run_successfully(&directory, &["backup", "backup.db"]);

    server.create_category("Dog");
    server.run_keys(&["revoke", &revoked[..8]]);
    let new = server.create_key(&["--plan", "free"]);
    let rotated = server.key.clone();
    let rotate = ["rotate", &rotated[..8], "--overlap", "0s"];
    server.run_keys(&rotate);
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
fn failed_commands_end_with_status_2_and_one_line() {
    let directory = ServerProcess::start_on_file().stop();
    let path = directory.path();
    run_successfully(path, &["backup", "backup.db"]);
    let mut damaged = std::fs::read(path.join("backup.db")).unwrap();
    let middle = damaged.len() / 2;
    damaged[4096..middle].fill(0x55);
    std::fs::write(path.join("damaged.db"), damaged).unwrap();
    std::fs::write(path.join("text.db"), "not a database").unwrap();
    let other = File::create(path.join("busy.db.unfinished")).unwrap();
    other.lock().unwrap();
    let locked = path.join("locked.db");
    std::fs::copy(path.join("backup.db"), &locked).unwrap();
    let locked = Connection::open(locked).unwrap();
    let lock = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE";
    locked.execute_batch(lock).unwrap();
    for (command, expected) in [
        ("restore text.db", "is not a SQLite database"),
        ("restore absent.db", "there is no database at"),
        ("restore damaged.db", "damaged.db is damaged"),
        ("restore petstore.db", "is the database itself"),
        ("backup backup.db", "already exists"),
        ("backup no/such/folder.db", "is not a directory"),
        ("backup busy.db", "is being written by another"),
        (
            "backup copy.db --database locked.db",
            "is locked by another process",
        ),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let line = error_line(&run_petstore(path, &arguments));
        assert!(line.contains(expected), "{command}: {line}");
    }
}

#[test]
fn command_whose_output_cannot_be_written_says_that_it_was_done() {
    let directory = ServerProcess::start_on_file().stop();
    let path = directory.path();
    for arguments in [
        &["backup", "backup.db"][..],
        &["restore", "backup.db"],
        &["keys", "create", "--name", "shop", "--plan", "free"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = petstore();
        command.current_dir(path).args(arguments).stdout(full);
        let line = error_line(&command.output().unwrap());
        assert!(
            line.contains("was carried out, but standard output"),
            "{arguments:?}: {line}"
        );
    }
    assert!(path.join("petstore.db.before-restore").exists());
    assert!(run_successfully(path, &["keys", "list"]).contains(" shop "));
}

#[test]
fn list_of_keys_ends_quietly_when_its_reader_does() {
    let directory = ServerProcess::start_on_file().stop();
    for (arguments, code) in [
        (&["list"][..], 0),
        (&["show", "1"], 0),
        (&["rotate", "1"], 2),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = petstore();
        command
            .current_dir(directory.path())
            .arg("keys")
            .args(arguments);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}: {output:?}"
        );
        assert_eq!(
            output.stderr.is_empty(),
            code == 0,
            "{arguments:?}: {output:?}"
        );
    }
}

#[test]
fn server_makes_backups_on_its_schedule_and_removes_the_oldest() {
    let storage = Storage::file();
    let folder = storage.path().join("backups");
    std::fs::create_dir(&folder).unwrap();
    for name in [
        "petstore-2026-01-01T000000Z.db",
        "petstore-2026-01-02T000000Z.db",
        "notes.txt",
    ] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let arguments = ["--backup-folder", "backups", "--backup-keep", "2"];
    let server = ServerProcess::start_in(storage, &arguments);
    poll_until("a backup", || {
        (server.metric("petstore_backups_total{outcome=\"made\"}") == 1).then_some(())
    });
    let names = file_names(&folder);
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(names[0], "notes.txt");
    assert_eq!(
        names[1], "petstore-2026-01-02T000000Z.db",
        "the newer one is kept"
    );
    let keys = ["keys", "list", "--json", "--database", &names[2]];
    let output = run_petstore(&folder, &keys);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn schedule_of_backups_that_cannot_be_kept_is_an_error_at_the_start() {
    let folder = tempfile::TempDir::new().unwrap();
    for (arguments, expected) in [
        (
            &["--backup-folder", "absent"][..],
            "--backup-folder does not exist: absent; create it",
        ),
        (
            &[
                "--backup-folder",
                ".",
                "--database",
                "postgres://localhost/pets",
            ],
            "pg_dump",
        ),
        (&["--backup-every", "5s"], "at least a minute"),
        (&["--backup-keep", "0"], "zero"),
    ] {
        let output = run_petstore(folder.path(), &[&["serve"], arguments].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    }
    assert_eq!(file_names(folder.path()), [""; 0]);
}
