//! Stopping: what is in flight is answered, and the process ends well.

use std::io::{Read, Write};
use std::net::TcpStream;

use tempfile::TempDir;

use super::running::{KEY, Running};
use crate::folder::names;
use crate::wire;

const BODY: &str = r#"{"name": "Cat"}"#;

/// A connection with a request whose body the server has begun to wait for.
fn in_flight(server: &Running) -> TcpStream {
    let mut stream = wire::connect(server.address);
    let head = format!(
        "POST /categories HTTP/1.1\r\nhost: petstore\r\nx-api-key: {KEY}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         expect: 100-continue\r\n\r\n",
        BODY.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // It is sent when the handler asks for the body (RFC 9110, section 10.1.1).
    let expected = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, expected);
    stream
}

/// A connection whose client has its answer and may ask again.
fn idle(server: &Running) -> TcpStream {
    let mut stream = wire::connect(server.address);
    let request = b"GET /pets HTTP/1.1\r\nhost: petstore\r\n\r\n";
    stream.write_all(request).unwrap();
    wire::answer(&mut stream);
    stream
}

/// The server closes an idle connection when it begins to stop; so this tells when the signal has arrived.
fn await_end_of(mut idle: TcpStream) {
    assert_eq!(idle.read(&mut [0]).unwrap(), 0, "nobody asked for more");
}

fn stops_well_on(signal: &str) {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let server = Running::start(&database);
    let idle = idle(&server);
    let mut busy = in_flight(&server);

    server.signal(signal);
    await_end_of(idle);
    busy.write_all(BODY.as_bytes()).unwrap();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");

    let (status, complained) = server.end();
    assert_eq!(status.code(), Some(0), "{complained}");
    assert_eq!(complained, "");
    assert_eq!(
        names(folder.path()),
        ["db", "db.lock"],
        "the log is folded back"
    );
    let stored: String = rusqlite::Connection::open(&database)
        .unwrap()
        .query_row("SELECT name FROM categories", [], |row| row.get(0))
        .unwrap();
    assert_eq!(stored, "Cat");
}

#[test]
fn sigterm_stops_it_when_what_is_in_flight_is_answered() {
    stops_well_on("TERM");
}

#[test]
fn ctrl_c_does_so_too() {
    stops_well_on("INT");
}

#[test]
fn a_second_signal_does_not_wait() {
    let folder = TempDir::new().unwrap();
    let mut server = Running::start(&folder.path().join("db"));
    let idle = idle(&server);
    let _busy = in_flight(&server);
    server.signal("TERM");
    await_end_of(idle);
    server.insist("TERM");
    let (status, complained) = server.end();
    assert_eq!(status.code(), Some(2));
    assert_eq!(
        complained,
        "petstore: stopped by a second signal before the last requests were answered\n"
    );
}

#[test]
fn half_a_head_holds_nothing_up() {
    let folder = TempDir::new().unwrap();
    let server = Running::start(&folder.path().join("db"));
    let mut half = TcpStream::connect(server.address).unwrap();
    half.write_all(b"GET /pe").unwrap();
    let idle = idle(&server);
    server.signal("TERM");
    await_end_of(idle);
    let (status, complained) = server.end();
    assert_eq!((status.code(), complained.as_str()), (Some(0), ""));
    assert_eq!(
        names(folder.path()),
        ["db", "db.lock"],
        "the store is closed"
    );
}
