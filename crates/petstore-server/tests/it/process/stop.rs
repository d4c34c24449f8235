//! Signals: requests in flight are answered, and the process ends without an error.

use std::io::{Read, Write};
use std::net::TcpStream;

use tempfile::TempDir;
use test_support::files::file_names;
use test_support::{Backend, Process, ServerProcess, Storage, blocking_http, petstore, poll_until};

const KEPT_REQUEST: &[u8] = b"GET /pets HTTP/1.1\r\nhost: petstore\r\n\r\n";

pub const BODY: &str = r#"{"name": "Cat"}"#;

/// Sends the head of a request whose body the server waits for.
pub fn begin_request(server: &ServerProcess, mut stream: TcpStream) -> TcpStream {
    let head = format!(
        "POST /categories HTTP/1.1\r\nhost: petstore\r\nx-api-key: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         expect: 100-continue\r\n\r\n",
        server.key,
        BODY.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It is sent when the handler asks for the body (RFC 9110, section 10.1.1).
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut response = vec![0; expected.len()];
    stream.read_exact(&mut response).unwrap();
    assert_eq!(response, expected);
    stream
}

/// A connection that is kept after a response.
fn open_idle(server: &ServerProcess) -> TcpStream {
    let mut stream = blocking_http::connect(server.public);
    stream.write_all(KEPT_REQUEST).unwrap();
    let response = blocking_http::read_response(&mut stream);
    assert_eq!(response.header("connection"), None);
    stream
}

/// Waits for the end of an idle connection. The server closes it a moment after it began to stop.
fn wait_for_close(mut idle: TcpStream) {
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
}

#[test]
fn sigterm_and_sigint_stop_the_server_after_requests_in_flight() {
    for signal in ["TERM", "INT"] {
        let server = start();
        let mut incomplete = TcpStream::connect(server.public).unwrap();
        incomplete.write_all(b"GET /pe").unwrap();
        let idle = open_idle(&server);
        let mut busy = begin_request(&server, blocking_http::connect(server.public));

        server.process.signal(signal);
        wait_for_close(idle);
        busy.write_all(BODY.as_bytes()).unwrap();
        assert_eq!(blocking_http::read_response(&mut busy).status, 201);

        let storage = stop_cleanly(server);
        assert_eq!(storage.query("SELECT name FROM categories"), ["Cat"]);
    }
}

#[test]
fn second_signal_ends_the_server_with_status_2_at_once() {
    let mut server = start();
    let idle = open_idle(&server);
    let _busy = begin_request(&server, blocking_http::connect(server.public));
    server.process.signal("TERM");
    wait_for_close(idle);
    server.process.signal_until_end("TERM");
    let (status, stderr, _) = server.wait();
    assert_eq!(status.code(), Some(2));
    assert_eq!(
        stderr,
        "error: stopped by a second signal before the last requests were answered\n"
    );
}

#[test]
fn requests_are_served_after_sigterm_until_the_drain_delay_has_passed() {
    let server = ServerProcess::start_with(&["--log-level", "error", "--drain-delay", "1h"]);
    let mut kept = open_idle(&server);
    server.process.signal("TERM");
    poll_until("the panel to say that the server stops", || {
        let ready = server.get_panel("/readyz");
        (ready.status == 503).then(|| assert_eq!(ready.text(), "stopping\n"))
    });
    // On a new connection, as of a load balancer that has not noticed yet.
    let response = server.send("GET", "/pets", "");
    assert_eq!(
        (response.status, response.header("connection")),
        (200, Some("close"))
    );
    // On one that a proxy has kept. It is the last request there.
    kept.write_all(KEPT_REQUEST).unwrap();
    let response = blocking_http::read_response(&mut kept);
    assert_eq!(response.header("connection"), Some("close"));
    wait_for_close(kept);
    // The next signal ends the delay, not the requests that are under way.
    let mut busy = begin_request(&server, blocking_http::connect(server.public));
    poll_until("the stop to begin", || {
        server.process.signal("TERM");
        TcpStream::connect(server.public).is_err().then_some(())
    });
    busy.write_all(BODY.as_bytes()).unwrap();
    assert_eq!(blocking_http::read_response(&mut busy).status, 201);
    stop_cleanly(server);
}

#[test]
fn standard_error_that_nobody_reads_does_not_prevent_the_stop() {
    let mut command = petstore();
    // Every request is a line, and together they are longer than a pipe.
    command.args(["serve", "--listen", "127.0.0.1:0", "--log-level", "info"]);
    let directory = TempDir::new().unwrap();
    let mut process = Process::run(command.current_dir(directory.path()));
    let public = process.read_address();
    let mut stream = blocking_http::connect(public);
    for _ in 0..2000 {
        stream
            .write_all(b"GET /pets HTTP/1.1\r\nhost: petstore\r\n\r\n")
            .unwrap();
        blocking_http::read_response(&mut stream);
    }
    process.signal("TERM");
    assert_eq!(process.wait_unread().code(), Some(4));
}

#[test]
fn database_that_another_process_locks_does_not_prevent_the_stop() {
    let server = start();
    assert_eq!(
        server.send("GET", "/pets", "").status,
        200,
        "it takes a lease"
    );
    let _lock = server.storage.lock_writes();
    server.process.signal("TERM");
    let (status, stderr, _storage) = server.wait();
    if Backend::chosen().has_redis() {
        // They are returned there.
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    } else {
        assert_eq!(status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("cannot return leased requests"), "{stderr}");
    }
}

/// A server that logs errors only.
fn start() -> ServerProcess {
    ServerProcess::start_with(&["--log-level", "error"])
}

/// Waits until a stopping server ends without an error and with its write-ahead log in the database.
fn stop_cleanly(server: ServerProcess) -> Storage {
    let (status, stderr, storage) = server.wait();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
    let files: &[&str] = match Backend::chosen() {
        Backend::Sqlite => &["first-key", "log", "petstore.db", "petstore.db.lock"],
        _ => &["first-key", "log"],
    };
    assert_eq!(file_names(storage.path()), files);
    storage
}
