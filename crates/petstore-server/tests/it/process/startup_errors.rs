//! Why `petstore serve` does not start: one line gives the reason, and no file is created or changed.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;
use test_support::files::read_files;
use test_support::{Process, ServerProcess, petstore, petstore_by};

/// `petstore serve` on a free port; the path of the database must follow.
fn serve() -> Command {
    let mut command = petstore();
    command.args(["serve", "--listen", "127.0.0.1:0", "--database"]);
    command
}

/// Runs a command that cannot start a server and changes no file, and returns its line on standard error.
#[track_caller]
fn startup_error(folder: &Path, command: &mut Command) -> String {
    let before = read_files(folder);
    let reason = startup_error_among(folder, command);
    assert!(before == read_files(folder), "a file was changed");
    reason
}

/// Runs a command that cannot start a server and creates no file, and returns its line on standard error.
#[track_caller]
fn startup_error_among(folder: &Path, command: &mut Command) -> String {
    let before = read_files(folder);
    let mut process = Process::run(command);
    assert_eq!(process.read_line(), "", "it listens");
    let (status, stderr) = process.wait();
    assert_eq!(status.code(), Some(2), "{stderr}");
    let after = read_files(folder);
    assert!(
        before.keys().eq(after.keys()),
        "now there are {:?}",
        after.keys()
    );

    let reason = stderr.strip_prefix("petstore: ").unwrap();
    let reason = reason.strip_suffix('\n').unwrap();
    assert!(!reason.contains('\n'), "one line, not {stderr}");
    reason.to_owned()
}

/// The error for a database in a folder, without the path of the folder.
#[track_caller]
fn database_error(folder: &Path, name: &str) -> String {
    without_folder(
        folder,
        &startup_error(folder, serve().arg(folder.join(name))),
    )
}

fn without_folder(folder: &Path, reason: &str) -> String {
    let canonical = folder.canonicalize().unwrap();
    let reason = reason.replace(&format!("{}/", canonical.display()), "");
    reason.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn too_few_open_files_are_rejected_before_a_database_is_created() {
    let folder = TempDir::new().unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 60 && exec \"$@\"", "sh"]);
    let mut command = petstore_by(shell);
    command.args(["serve", "--listen", "127.0.0.1:0", "--database"]);
    command.arg(folder.path().join("new.db"));
    let reason = startup_error(folder.path(), &mut command);
    assert_eq!(
        reason,
        "this process may open only 60 files, and a server needs 128: raise the limit (ulimit -n)"
    );
}

#[test]
fn port_in_use_is_rejected_before_a_database_is_created() {
    let folder = TempDir::new().unwrap();
    let used = TcpListener::bind("127.0.0.1:0").unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
    let (used, free) = (used.local_addr().unwrap(), free.unwrap());
    // The second pair is one port for both listeners.
    for (listen, admin_listen, flag) in [
        (used, "127.0.0.1:0".parse().unwrap(), "--listen"),
        (free, free, "--admin-listen"),
    ] {
        let mut command = petstore();
        command.args(["serve", "--listen", &listen.to_string()]);
        command.args(["--admin-listen", &admin_listen.to_string()]);
        command.arg("--database").arg(folder.path().join("db"));
        let reason = startup_error(folder.path(), &mut command);
        let expected = format!("cannot listen on {listen}: Address already in use");
        assert!(reason.starts_with(&expected), "{reason}");
        let help = format!("; stop what listens there, or choose another port with {flag}");
        assert!(reason.ends_with(&help), "{reason}");
    }
}

#[test]
fn database_that_cannot_be_used_is_rejected_with_its_name_and_the_reason() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("file"), "").unwrap();
    fs::create_dir(path("folder")).unwrap();
    // A directory cannot be opened as a file by any user, not even by root.
    fs::create_dir(path("locked.lock")).unwrap();
    fs::write(path("notes.txt"), "Feed the cat.\n".repeat(20)).unwrap();
    let other = Connection::open(path("other.db")).unwrap();
    let sql = "PRAGMA application_id = 0x1234; CREATE TABLE cats (name);";
    other.execute_batch(sql).unwrap();
    drop(other);
    for (name, reason) in [
        (
            "file/db",
            "file/db cannot be a database, as file is not a directory; create it or name another",
        ),
        (
            "missing/db",
            "missing/db cannot be a database, as missing is not a directory; create it or name another",
        ),
        (
            "folder",
            "folder is a directory; name a file for the database",
        ),
        (
            "locked",
            "locked.lock cannot be opened for reading and writing; check the permissions",
        ),
        (
            "notes.txt",
            "notes.txt is not a SQLite database; the file was not changed, name another file",
        ),
        (
            "other.db",
            "other.db is the database of another application (application_id 0x00001234); the file was not changed, name \
             another file",
        ),
    ] {
        let error = database_error(folder.path(), name);
        assert!(error.starts_with(reason), "{name}: {error}");
    }
}

#[test]
fn database_of_a_running_server_is_rejected_under_any_name() {
    let server = ServerProcess::start_on_file();
    let folder = server.storage.path();
    std::os::unix::fs::symlink(server.database(), folder.join("alias")).unwrap();
    for name in ["petstore.db", "alias"] {
        // The running server may write to its own files meanwhile.
        let reason = startup_error_among(folder, serve().arg(folder.join(name)));
        assert_eq!(
            without_folder(folder, &reason),
            "petstore.db is in use by another server; stop it first, or name another file"
        );
    }
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    ServerProcess::start_in(server.kill(), &[]);
}
