//! `petstore backup`: under load, with wrong arguments, on a full disk, and killed. The backups are restored.

use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;

use super::store_outages::on_small_disk;
use test_support::files::read_files;
use test_support::{Process, ServerProcess, petstore, poll_until, run_petstore};

pub fn run_successfully(directory: &Path, arguments: &[&str]) -> String {
    let output = run_petstore(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The line on standard error of a command that failed.
pub fn error_line(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn backup_under_load_has_every_write_acknowledged_before_it() {
    let server = ServerProcess::start();
    let done = AtomicBool::new(false);
    let mut acknowledged = Vec::new();
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (server, done) = (&server, &done);
            scope.spawn(move || {
                for number in (0..).take_while(|_| !done.load(Ordering::SeqCst)) {
                    server.create_category(&format!("{client}-{number}"));
                }
            });
        }
        for round in 0..5 {
            let name = format!("before {round}");
            server.create_category(&name);
            acknowledged.push(name);
            run_successfully(server.directory.path(), &["backup", &format!("{round}.db")]);
        }
        done.store(true, Ordering::SeqCst);
    });
    let directory = server.stop();
    for round in 0..5 {
        run_successfully(
            directory.path(),
            &[
                "restore",
                &format!("{round}.db"),
                "--database",
                &format!("restored-{round}.db"),
            ],
        );
    }
    run_successfully(directory.path(), &["restore", "4.db"]);
    let server = ServerProcess::start_in(directory, &[]);
    let stored = server.category_names();
    for name in &acknowledged {
        assert!(stored.contains(name), "{name} is not in the backup");
    }
}

#[test]
fn unusable_paths_are_rejected_and_no_file_changes() {
    let server = ServerProcess::start();
    server.create_category("Cat");
    let directory = server.stop();
    let path = directory.path();
    run_successfully(path, &["backup", "backup.db"]);
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
    let before = read_files(path);
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
        // The name of an unfinished backup is reserved.
        (
            &["backup", "copy", "--database", "copy.unfinished"],
            "there is no database at",
        ),
    ] {
        let line = error_line(&run_petstore(path, arguments));
        assert!(line.contains(expected), "{arguments:?}: {line}");
        assert!(read_files(path) == before, "{arguments:?}");
    }
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat"]
    );
}

#[test]
fn locked_database_is_not_backed_up() {
    let directory = ServerProcess::start().stop();
    let path = directory.path();
    let other = Connection::open(path.join("petstore.db")).unwrap();
    other
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        .unwrap();
    let line = error_line(&run_petstore(path, &["backup", "backup.db"]));
    assert!(line.contains("is locked by another process"), "{line}");
    assert!(!path.join("backup.db").exists() && !path.join("backup.db.unfinished").exists());
}

#[test]
fn command_whose_output_cannot_be_written_says_that_it_was_done() {
    let directory = ServerProcess::start().stop();
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
fn second_backup_to_the_same_path_is_rejected_while_the_first_runs() {
    let directory = ServerProcess::start().stop();
    let path = directory.path();
    let other = File::create(path.join("backup.db.unfinished")).unwrap();
    other.lock().unwrap();
    let line = error_line(&run_petstore(path, &["backup", "backup.db"]));
    assert!(line.contains("is being written by another"), "{line}");
    assert!(
        path.join("backup.db.unfinished").exists(),
        "it belongs to the first"
    );
    other.unlock().unwrap();
    run_successfully(path, &["backup", "backup.db"]);
    assert!(!path.join("backup.db.unfinished").exists());
}

#[test]
fn copies_have_the_permissions_of_the_original() {
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let directory = ServerProcess::start().stop();
    let (database, backup) = (
        directory.path().join("petstore.db"),
        directory.path().join("backup.db"),
    );
    std::fs::set_permissions(&database, Permissions::from_mode(0o600)).unwrap();
    run_successfully(directory.path(), &["backup", "backup.db"]);
    assert_eq!(mode(&backup), 0o600);
    std::fs::set_permissions(&backup, Permissions::from_mode(0o444)).unwrap();
    run_successfully(directory.path(), &["restore", "backup.db"]);
    assert_eq!(mode(&database), 0o600);
}

#[test]
fn backup_on_a_full_disk_leaves_no_file() {
    let directory = ServerProcess::start().stop();
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
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("database or disk is full"), "{stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
}

#[test]
fn symbolic_links_are_followed_and_kept() {
    let server = ServerProcess::start();
    server.create_category("Cat");
    let directory = server.stop();
    let path = directory.path();
    std::fs::create_dir(path.join("elsewhere")).unwrap();
    symlink("elsewhere/backup.db", path.join("backup")).unwrap();
    symlink("petstore.db", path.join("link")).unwrap();
    run_successfully(path, &["backup", "backup", "--database", "link"]);
    assert!(path.join("elsewhere/backup.db").is_file());
    run_successfully(path, &["restore", "backup", "--database", "link"]);
    assert!(path.join("link").is_symlink() && path.join("backup").is_symlink());
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat"]
    );
}

#[test]
fn killed_backup_can_be_repeated() {
    let server = ServerProcess::start();
    server.create_category("Cat");
    let directory = server.stop();
    let path = directory.path();
    let mut backup = petstore();
    backup.current_dir(path).args(["backup", "backup.db"]);
    let backup = Process::run(&mut backup);
    poll_until("the backup to begin", || {
        let begun = path.join("backup.db.unfinished").exists() || path.join("backup.db").exists();
        begun.then_some(())
    });
    drop(backup);
    // It may have ended before the kill.
    if !path.join("backup.db").exists() {
        std::fs::write(path.join("backup.db.unfinished-journal"), "stale").unwrap();
        run_successfully(path, &["backup", "backup.db"]);
    }
    assert!(!path.join("backup.db.unfinished-journal").exists());
    run_successfully(path, &["restore", "backup.db"]);
    assert_eq!(
        ServerProcess::start_in(directory, &[]).category_names(),
        ["Cat"]
    );
}
