//! Clients that are slow, endless, silent, broken or many: the server stays within its bounds, and serves the others
//! meanwhile.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::binary::{PATIENCE, eventually};
use crate::ops::server::Server;
use crate::wire::{self, Answer};

const NEW_CATEGORY: &str = r#"{"name":"Cat"}"#;

/// Largest resident memory that a test leaves the server, in KiB. It needs about 40 MiB at rest in a debug build.
const MEMORY: u64 = 300 * 1024;

impl Server {
    fn serves_others(&self) {
        assert_eq!(self.send("GET", "/pets", "").status, 200);
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let (_, resident) = status.split_once("VmRSS:").unwrap();
        let resident: u64 = resident.split_whitespace().next().unwrap().parse().unwrap();
        assert!(resident < MEMORY, "the server holds {resident} KiB");
    }

    fn has_not_failed(&self) {
        let figures = self.panel("/metrics");
        let failures = figures.text().lines().filter(|line| {
            line.starts_with("petstore_requests_total") && line.contains("status=\"5")
        });
        assert_eq!(failures.collect::<Vec<_>>(), Vec::<&str>::new());
    }

    /// A connection on which the head of a POST was sent.
    fn begin(&self, headers: &str) -> TcpStream {
        let mut stream = wire::connect(self.public);
        let head = format!(
            "POST /categories HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n{headers}\r\n",
            self.key
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }
}

fn outcome(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}

#[test]
fn a_slow_head_keeps_nobody_waiting() {
    let server = Server::start();
    let slow: Vec<_> = (0..200)
        .map(|_| {
            let mut stream = wire::connect(server.public);
            stream.write_all(b"GET /pets HTTP/1.1\r\nHost: pe").unwrap();
            stream
        })
        .collect();
    server.serves_others();
    // Slow is not wrong: whoever finishes the head is answered.
    for mut stream in slow {
        let rest = format!("tstore\r\nX-API-Key: {}\r\n\r\n", server.key);
        stream.write_all(rest.as_bytes()).unwrap();
        assert_eq!(wire::answer(&mut stream).status, 200);
    }
    server.has_not_failed();
}

#[test]
fn a_slow_body_is_given_ten_seconds() {
    let server = Server::start();
    let mut slow: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = server.begin("Content-Length: 14\r\n");
            stream.write_all(b"{").unwrap();
            stream
        })
        .collect();
    server.serves_others();
    for stream in &mut slow {
        assert_eq!(
            outcome(&wire::answer(stream)),
            (408, "request_timeout".to_owned())
        );
    }
    server.has_not_failed();
}

#[test]
fn a_body_without_end_is_cut_off() {
    let server = Server::start();
    let stream = server.begin("Transfer-Encoding: chunked\r\n");
    let mut sender = stream.try_clone().unwrap();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let chunk = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
            // It ends only because the server hangs up.
            while sender.write_all(chunk.as_bytes()).is_ok() {}
            stopped.store(true, Ordering::SeqCst);
        });
        let mut receiver = stream;
        assert_eq!(
            outcome(&wire::answer(&mut receiver)),
            (413, "body_too_large".to_owned())
        );
        server.serves_others();
        assert!(wire::is_closed(&mut receiver));
    });
    assert!(stopped.load(Ordering::SeqCst));
    server.has_not_failed();
}

#[test]
fn a_thousand_idle_connections_are_kept_and_served() {
    let server = Server::start();
    let request = server.request("GET", "/pets", "", "");
    let mut idle: Vec<_> = (0..1000).map(|_| wire::connect(server.public)).collect();
    // Each has been served once, and waits for its next turn.
    for stream in &mut idle {
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(wire::answer(stream).status, 200);
    }
    server.serves_others();
    for stream in &mut idle {
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(wire::answer(stream).status, 200);
    }
    server.has_not_failed();
}

#[test]
fn five_thousand_silent_connections_leave_others_served() {
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap();
    assert!(
        limit > 6000,
        "this test needs 6,000 open files, and may have {limit}"
    );
    // The server inherits a limit that would not do, and raises it itself.
    let server = Server::start_with_file_limit(1024);
    let silent: Vec<_> = (0..5000).map(|_| wire::connect(server.public)).collect();
    for _ in 0..10 {
        server.serves_others();
    }
    drop(silent);
    server.serves_others();
    server.has_not_failed();
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let server = Server::start();
    let mut all = String::new();
    for name in ["Cat", "Dog", "Eel"] {
        all += &server.request(
            "POST",
            "/categories",
            &json!({ "name": name }).to_string(),
            "",
        );
    }
    all += &server.request("GET", "/categories/3", "", "");
    let mut stream = wire::connect(server.public);
    stream.write_all(all.as_bytes()).unwrap();
    for (id, name) in [(1, "Cat"), (2, "Dog"), (3, "Eel"), (3, "Eel")] {
        let category = wire::answer(&mut stream).json();
        assert_eq!(
            (&category["id"], &category["name"]),
            (&json!(id), &json!(name))
        );
    }
    server.has_not_failed();
}

#[test]
fn malformed_chunks_are_refused() {
    let server = Server::start();
    for chunks in [
        "ZZ\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}X0\r\n\r\n",
        "FFFFFFFFFFFFFFFFF\r\n",
    ] {
        let mut stream = server.begin("Transfer-Encoding: chunked\r\n");
        stream.write_all(chunks.as_bytes()).unwrap();
        assert_eq!(
            outcome(&wire::answer(&mut stream)),
            (400, "malformed_request".to_owned()),
            "{chunks:?}"
        );
        // Nobody knows where the next request would begin.
        assert!(wire::is_closed(&mut stream), "{chunks:?}");
    }
    server.serves_others();
    server.has_not_failed();
}

#[test]
fn a_body_of_two_lengths_is_refused() {
    let server = Server::start();
    let mut stream = server.begin("Content-Length: 14\r\nContent-Length: 2\r\n");
    stream.write_all(NEW_CATEGORY.as_bytes()).unwrap();
    assert_eq!(wire::answer(&mut stream).status, 400);
    assert!(wire::is_closed(&mut stream));
    server.has_not_failed();
}

#[test]
fn a_huge_head_is_refused() {
    let server = Server::start();
    let mut stream = wire::connect(server.public);
    let head = format!(
        "GET /pets HTTP/1.1\r\nX-Large: {}",
        "x".repeat(2 * 1024 * 1024)
    );
    // The server may hang up before all of it is sent, which may take its answer along.
    let _ = stream.write_all(head.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(
        answer.is_empty() || answer.starts_with(b"HTTP/1.1 431 "),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    let many: String = (0..1000).map(|n| format!("X-{n}: y\r\n")).collect();
    let request = server.request("GET", "/pets", "", &many);
    let mut stream = wire::connect(server.public);
    stream.write_all(request.as_bytes()).unwrap();
    assert_eq!(wire::answer(&mut stream).status, 431);
    server.serves_others();
    server.has_not_failed();
}

#[test]
fn clients_that_reset_the_connection_leave_nothing_behind() {
    let server = Server::start();
    for _ in 0..200 {
        let mut stream = server.begin("Expect: 100-continue\r\nContent-Length: 14\r\n");
        // Once the interim answer has come, hanging up without reading it resets the connection.
        stream.peek(&mut [0]).unwrap();
        stream.write_all(b"{").unwrap();
        drop(stream);
    }
    server.serves_others();
    // A client that leaves cancels no write: what the server has begun to read, and gets whole, is done.
    let length = NEW_CATEGORY.len();
    let mut stream = server.begin(&format!(
        "Expect: 100-continue\r\nContent-Length: {length}\r\n"
    ));
    stream.peek(&mut [0]).unwrap();
    stream.write_all(NEW_CATEGORY.as_bytes()).unwrap();
    drop(stream);
    eventually("the write of a client that left", || {
        (server.names() == ["Cat"]).then_some(())
    });
    server.has_not_failed();
}

#[test]
fn a_stop_under_load_loses_no_answered_request() {
    let server = Server::start();
    let public = server.public;
    let head = server.request("POST", "/categories", "", "");
    let (head, _) = head.split_once("Content-Length").unwrap();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..8)
            .map(|client| {
                scope.spawn(move || {
                    let mut acknowledged = Vec::new();
                    for number in 0.. {
                        let name = format!("{client}-{number}");
                        let body = json!({ "name": name }).to_string();
                        let request = format!(
                            "{head}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
                            body.len()
                        );
                        match created(public, &request) {
                            Some(true) => acknowledged.push(name),
                            Some(false) | None => break,
                        }
                    }
                    acknowledged
                })
            })
            .collect();
        eventually("some writes", || {
            let figures = server.panel("/metrics");
            let writes = figures.text().lines().find_map(|line| {
                line.strip_prefix(
                    "petstore_requests_total{operation=\"createCategory\",status=\"201\"} ",
                )
            });
            (writes?.parse::<u64>().unwrap() > 50).then_some(())
        });
        server.signal("TERM");
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect()
    });
    let directory = server.finish();
    assert!(acknowledged.len() > 50);
    let kept = Server::start_in(directory, &[]).names();
    for name in &acknowledged {
        assert!(kept.contains(name), "{name} was acknowledged and is gone");
    }
}

/// Whether the request was answered 201; `None` if it was not answered at all.
fn created(address: SocketAddr, request: &str) -> Option<bool> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    (!answer.is_empty()).then(|| answer.starts_with(b"HTTP/1.1 201 "))
}
