//! A database that cannot be written: requests return 503, the log gives the cause, and the server recovers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use test_support::{
    Response, ServerProcess, Storage, blocking_http, petstore_by, poll_until, programs,
};

fn create_category(server: &ServerProcess, name: &str) -> Response {
    server.send("POST", "/categories", &json!({ "name": name }).to_string())
}

fn assert_unavailable(response: &Response) {
    assert_eq!(response.outcome(), "503 unavailable");
    assert_eq!(response.header("retry-after"), Some("1"));
}

/// Waits until a request of the key is admitted. A ledger that failed is called again after a second.
fn wait_for_admission(server: &ServerProcess) {
    poll_until("the ledger to be called again", || {
        (server.send("GET", "/pets", "").status == 200).then_some(())
    });
}

/// Expects that the store can be read. Neither request needs a lease, which would be a write.
fn assert_readable(server: &ServerProcess) {
    assert_eq!(server.get_panel("/readyz").status, 200);
    assert_eq!(server.send("GET", "/rate-limit", "").status, 200);
}

/// Expects a warning about this response that names the cause.
fn assert_logged(server: &ServerProcess, response: &Response, cause: &str) {
    let id = json!(response.header("x-request-id").unwrap());
    let is_warning = |it: &serde_json::Value| it["request_id"] == id && it["level"] == "WARN";
    let line = server.wait_for_log_line(is_warning);
    let error = line["error"].as_str().unwrap();
    assert!(error.contains(cause), "{error}");
}

#[test]
fn locked_database_returns_503_until_it_is_unlocked() {
    let server = ServerProcess::start_on_file();
    let other = Connection::open(server.database()).unwrap();
    // A key that was never used needs a lease.
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let limited = server.send("GET", "/pets", "");
    assert_unavailable(&limited);
    assert_logged(&server, &limited, "the ledger did not answer in time");
    other.execute_batch("ROLLBACK").unwrap();
    wait_for_admission(&server);
    assert_eq!(create_category(&server, "Cat").status, 201);

    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let failed = create_category(&server, "Dog");
    assert_unavailable(&failed);
    assert_logged(&server, &failed, "database is locked");
    assert_readable(&server);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(create_category(&server, "Dog").status, 201);
    assert!(server.metric("petstore_writer_undone_total") > 0);
}

/// Sends so many requests at once, each of which must be answered within two seconds, and returns their outcomes.
fn outcomes_within_two_seconds(server: &ServerProcess, requests: usize) -> Vec<String> {
    let send = || {
        let request = server.format_request("GET", "/pets", "", "Connection: close\r\n");
        let mut stream = blocking_http::connect(server.public);
        stream
            .set_read_timeout(Some(Duration::from_secs(2)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        blocking_http::read_response(&mut stream).outcome()
    };
    thread::scope(|scope| {
        let sent: Vec<_> = (0..requests).map(|_| scope.spawn(send)).collect();
        sent.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn while_the_database_is_locked_requests_of_a_small_plan_are_answered_within_two_seconds() {
    for (arguments, expected) in [
        (&[][..], "503 unavailable"),
        (&["--without-ledger", "admit"], "200"),
    ] {
        let mut server = ServerProcess::start_in(Storage::file(), arguments);
        // A key for the first request alone, and one for many at once.
        let keys = ["free", "free"].map(|plan| server.create_key(&["--plan", plan]));
        let other = Connection::open(server.database()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        for (key, requests) in keys.iter().zip([1, 20]) {
            server.key.clone_from(key);
            let outcomes = outcomes_within_two_seconds(&server, requests);
            assert_eq!(outcomes, vec![expected; requests], "{arguments:?}");
        }
        let ready = server.get_panel("/readyz");
        assert_eq!(ready.status, 200);
        let text = "ready, but the usage of keys could not be stored the last time\n";
        assert_eq!(ready.text(), text);
        other.execute_batch("ROLLBACK").unwrap();
        wait_for_admission(&server);
        poll_until("the ledger to work", || {
            wait_for_admission(&server);
            (server.get_panel("/readyz").text() == "ready\n").then_some(())
        });
        let decision = "petstore_limiter_decisions_total{plan=\"free\",outcome=";
        let admitted = server.find_metric(&format!("{decision}\"admitted_without_lease\"}}"));
        assert_eq!(admitted.is_some_and(|it| it >= 21), expected == "200");
    }
}

#[test]
fn removed_files_are_named_and_no_write_is_acknowledged() {
    for (file, remedy) in [
        ("petstore.db", "move it back, or stop the server"),
        (
            "petstore.db-wal",
            "all acknowledged writes are in the database file",
        ),
    ] {
        let server = ServerProcess::start_on_file();
        assert_eq!(create_category(&server, "Cat").status, 201);
        std::fs::remove_file(server.storage.path().join(file)).unwrap();
        for name in ["Dog", "Fish"] {
            assert_unavailable(&create_category(&server, name));
        }
        let is_error = |it: &serde_json::Value| it["level"] == "ERRO";
        let line = server.wait_for_log_line(is_error);
        let named = format!("{file} was removed or replaced");
        assert!(line["error"].as_str().unwrap().contains(&named), "{line}");
        let ready = server.get_panel("/readyz");
        assert_eq!(ready.status, 503);
        assert!(
            ready.text().contains(&named) && ready.text().contains(remedy),
            "{}",
            ready.text()
        );
        server.process.signal("TERM");
        let (_, log, directory) = server.wait();
        if file != "petstore.db" {
            let server = ServerProcess::start_in(directory, &[]);
            assert_eq!(server.category_names(), ["Cat"], "{file}: {log}");
        }
    }
}

#[test]
fn full_disk_returns_503_until_there_is_space() {
    let Some(command) = on_small_disk() else {
        return;
    };
    let directory = TempDir::new().unwrap();
    std::fs::create_dir(directory.path().join("disk")).unwrap();
    // A window of the limits may end while the disk is full, and the lease of the next one cannot be stored.
    let arguments = ["--without-ledger", "admit"];
    let server = ServerProcess::run(command, directory, &arguments).with_first_key();
    assert_eq!(create_category(&server, "Cat").status, 201);
    let disk = disk_of(&server);
    let filler = disk.join("filler");
    fill(&filler);
    let created = (0..50).map(|number| create_category(&server, &format!("lost {number}")));
    let failed: Vec<_> = created.filter(|response| response.status != 201).collect();
    assert!(!failed.is_empty(), "the disk was not full");
    for response in &failed {
        assert_unavailable(response);
    }
    assert_readable(&server);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    std::fs::remove_file(filler).unwrap();
    assert_eq!(create_category(&server, "Dog").status, 201);
    // SQLite cannot open it in the other namespace.
    let copy = TempDir::new().unwrap();
    for file in ["petstore.db", "petstore.db-wal"] {
        std::fs::copy(disk.join(file), copy.path().join(file)).unwrap();
    }
    let database = Connection::open(copy.path().join("petstore.db")).unwrap();
    let result: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(result, "ok");
}

/// Writes a file until the disk is full.
fn fill(path: &Path) {
    let mut file = std::fs::File::create(path).unwrap();
    for block in [vec![0_u8; 64 * 1024], vec![0; 512], vec![0; 1]] {
        while file.write_all(&block).is_ok() {}
    }
}

/// Runs the binary in a disk of 4 MiB, mounted at `disk` in a namespace of its own. `None` where the machine does not allow
/// that; then the test is reported as skipped.
fn on_small_disk() -> Option<Command> {
    let test = "a full disk";
    if programs::are_missing(&["unshare", "mount"], test) {
        return None;
    }
    let namespace = ["--map-root-user", "--mount"];
    let allowed = Command::new("unshare").args(namespace).arg("true").output();
    if !allowed.unwrap().status.success() {
        programs::skip(test, "unshare is not allowed");
        return None;
    }
    let mount = "mount -t tmpfs -o size=4m disk disk && cd \"$PWD/disk\" && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", mount, "sh"]);
    Some(petstore_by(command))
}

/// The path of the server's disk, as seen from outside of its namespace.
fn disk_of(server: &ServerProcess) -> PathBuf {
    let path = server.storage.path().join("disk");
    let root = Path::new("/proc").join(server.process.id().to_string());
    root.join("root").join(path.strip_prefix("/").unwrap())
}
