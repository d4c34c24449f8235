//! `petstore backup`: under load, with wrong arguments, on a full disk, and killed. The backups are restored.
//! The engine tests what happens to the files.

use std::fs::File;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};

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
fn unusable_path_ends_with_exit_code_2_and_one_line() {
    let directory = ServerProcess::start().stop();
    let path = directory.path();
    std::fs::write(path.join("text.db"), "not a database").unwrap();
    let before = read_files(path);
    for (arguments, expected) in [
        (["restore", "text.db"], "is not a SQLite database"),
        (["restore", "missing.db"], "there is no database at"),
        (["restore", "petstore.db"], "is the database itself"),
        (["backup", "text.db"], "already exists"),
    ] {
        let line = error_line(&run_petstore(path, &arguments));
        assert!(line.contains(expected), "{arguments:?}: {line}");
        assert!(read_files(path) == before, "{arguments:?}");
    }
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
