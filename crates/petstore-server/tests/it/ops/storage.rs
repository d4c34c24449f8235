//! A database that cannot be written for a while: the server says so, and goes on when the cause is gone.

use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::binary::petstore_by;
use crate::ops::server::Server;
use crate::tools;

fn new_category(server: &Server, name: &str) -> crate::wire::Answer {
    server.send("POST", "/categories", &json!({ "name": name }).to_string())
}

#[test]
fn a_locked_database_is_unavailable_until_it_is_free() {
    let server = Server::start();
    let created = new_category(&server, "Cat");
    assert_eq!(created.status, 201);
    let other = Connection::open(server.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = new_category(&server, "Dog");
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (503, "unavailable")
    );
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_logged(&server, &refused, "database is locked");
    assert_reading_goes_on(&server, &created);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(new_category(&server, "Dog").status, 201);
    assert!(server.figure("petstore_writer_undone_total") > 0);
}

#[test]
fn the_log_says_why_the_limiter_could_not_use_the_store() {
    let server = Server::start();
    let other = Connection::open(server.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // The first request of a key needs a lease.
    let refused = server.send("GET", "/pets", "");
    assert_eq!(refused.status, 503);
    assert_logged(&server, &refused, "database is locked");
}

/// Reading needs no lock and no space. The first request of a minute needs a lease, though, which is written; so this
/// fails only if a read is refused in the minute of an answer that was given before.
fn assert_reading_goes_on(server: &Server, before: &crate::wire::Answer) {
    assert_eq!(server.panel("/readyz").status, 200);
    let read = server.send("GET", "/categories/1", "");
    let minute = "x-ratelimit-reset";
    if read.header(minute) == before.header(minute) {
        assert_eq!(read.status, 200);
    }
}

/// The warning about this answer names its cause.
fn assert_logged(server: &Server, answer: &crate::wire::Answer, cause: &str) {
    let id = json!(answer.header("x-request-id").unwrap());
    let line = server.log_line(|it| it["request_id"] == id && it["level"] == json!("WARN"));
    let error = line["error"].as_str().unwrap();
    assert!(error.contains(cause), "{error}");
}

#[test]
fn windows_of_a_clock_that_was_ahead_are_forgotten_as_the_docs_say() {
    const YEAR: i64 = 365 * 24 * 60 * 60;
    let server = Server::start();
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    let key = server.key.clone();
    let reset = |server: &Server| -> i64 {
        let answer = server.send("GET", "/pets", "");
        answer.header("x-ratelimit-reset").unwrap().parse().unwrap()
    };
    let before = reset(&server);
    let directory = server.stop();
    // As it is left by a clock that was a year ahead.
    let database = Connection::open(directory.path().join("petstore.db")).unwrap();
    let ahead = format!("UPDATE usage SET start = start + {YEAR}");
    database.execute_batch(&ahead).unwrap();
    drop(database);
    let mut server = Server::start_in(directory, &[]);
    server.key.clone_from(&key);
    assert!(reset(&server) > before + YEAR / 2, "the limiter went back");

    let directory = server.stop();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let (_, remedy) = docs.split_once("sqlite3 petstore.db \"").unwrap();
    let (remedy, _) = remedy.split_once('"').unwrap();
    let database = Connection::open(directory.path().join("petstore.db")).unwrap();
    database.execute_batch(remedy).unwrap();
    drop(database);
    let mut server = Server::start_in(directory, &[]);
    server.key = key;
    assert!(reset(&server) < before + YEAR / 2);
}

#[test]
fn a_full_disk_is_unavailable_until_there_is_space() {
    let script = "cd \"$PWD/disk\" && exec \"$@\"";
    let Some(command) = on_small_disk("4m", script) else {
        return;
    };
    let directory = TempDir::new().unwrap();
    std::fs::create_dir(directory.path().join("disk")).unwrap();
    let server = Server::launch(command, directory, &[]).with_first_key();
    let created = new_category(&server, "Cat");
    assert_eq!(created.status, 201);
    // The disk is in a namespace of the server's own; this is how others see it.
    let disk = server.disk();
    let filler = disk.join("filler");
    fill(&filler);
    let refused: Vec<_> = (0..50)
        .map(|number| new_category(&server, &format!("lost {number}")))
        .collect();
    let refused: Vec<_> = refused
        .iter()
        .filter(|answer| answer.status != 201)
        .collect();
    assert!(!refused.is_empty(), "the disk was not full");
    for answer in refused {
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (503, "unavailable")
        );
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    assert_reading_goes_on(&server, &created);
    std::fs::remove_file(filler).unwrap();
    assert_eq!(new_category(&server, "Dog").status, 201);
    // SQLite would look for it outside of the namespace.
    let copy = TempDir::new().unwrap();
    for file in ["petstore.db", "petstore.db-wal"] {
        std::fs::copy(disk.join(file), copy.path().join(file)).unwrap();
    }
    let database = Connection::open(copy.path().join("petstore.db")).unwrap();
    let verdict: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
}

/// Writes until nothing more fits.
fn fill(path: &Path) {
    use std::io::Write;
    let mut file = std::fs::File::create(path).unwrap();
    for block in [vec![0_u8; 64 * 1024], vec![0; 512], vec![0; 1]] {
        while file.write_all(&block).is_ok() {}
    }
}

/// The binary with a disk of this size in `disk`, which only it sees, by way of a script; none where the machine does
/// not let the test make one.
pub fn on_small_disk(size: &str, script: &str) -> Option<Command> {
    let test = "a full disk";
    if tools::missing(&["unshare", "mount"], test) {
        return None;
    }
    let namespace = ["--map-root-user", "--mount"];
    let allowed = Command::new("unshare").args(namespace).arg("true").output();
    if !allowed.unwrap().status.success() {
        tools::skip(test, "unshare is not allowed");
        return None;
    }
    let mount = format!("mount -t tmpfs -o size={size} disk disk && {script}");
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", &mount, "sh"]);
    Some(petstore_by(command))
}

impl Server {
    fn disk(&self) -> PathBuf {
        let path = self.directory.path().join("disk");
        let path = path.strip_prefix("/").unwrap();
        Path::new("/proc")
            .join(self.pid().to_string())
            .join("root")
            .join(path)
    }
}
