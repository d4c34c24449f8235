//! Clients that are slow, silent, broken or many: the server limits what they use, and serves the others meanwhile.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use test_support::{ServerProcess, blocking_http};

const NEW_CATEGORY: &str = r#"{"name":"Cat"}"#;

/// Maximum resident memory of the server, in KiB. It needs about 40 MiB at rest in a debug build.
const MAX_MEMORY: u64 = 300 * 1024;

/// Expects that the server answers another client, and uses no more than [`MAX_MEMORY`].
fn assert_serves_others(server: &ServerProcess) {
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    let status = format!("/proc/{}/status", server.process.id());
    let status = std::fs::read_to_string(status).unwrap();
    let (_, resident) = status.split_once("VmRSS:").unwrap();
    let resident: u64 = resident.split_whitespace().next().unwrap().parse().unwrap();
    assert!(resident < MAX_MEMORY, "{resident} KiB are resident");
}

/// Expects that no response had a status of 5xx.
fn assert_no_failures(server: &ServerProcess) {
    let metrics = server.get_panel("/metrics");
    let failures = metrics
        .text()
        .lines()
        .filter(|line| line.starts_with("petstore_requests_total") && line.contains("status=\"5"));
    assert_eq!(failures.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// Sends the head of a POST, and returns its connection.
fn begin_post(server: &ServerProcess, headers: &str) -> TcpStream {
    let mut stream = blocking_http::connect(server.public);
    let head = format!(
        "POST /categories HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {}\r\nContent-Type: application/json\r\n{headers}\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn endless_body_is_rejected_and_its_connection_closed() {
    let server = ServerProcess::start();
    let mut stream = begin_post(&server, "Transfer-Encoding: chunked\r\n");
    let mut sender = stream.try_clone().unwrap();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let chunk = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
            // It ends only because the server closes the connection.
            while sender.write_all(chunk.as_bytes()).is_ok() {}
            stopped.store(true, Ordering::SeqCst);
        });
        let outcome = blocking_http::read_response(&mut stream).outcome();
        assert_eq!(outcome, "413 body_too_large");
        assert_serves_others(&server);
        assert!(blocking_http::is_closed(&mut stream));
    });
    assert!(stopped.load(Ordering::SeqCst));
    assert_no_failures(&server);
}

#[test]
fn five_thousand_silent_connections_do_not_block_others() {
    let limit = allow_open_files();
    assert!(
        limit > 6000,
        "this test needs 6,000 open files, and may have {limit}"
    );
    // The server inherits a limit that is too low, and raises it.
    let server = ServerProcess::start_with_file_limit("-Sn 1024");
    let connect = |_| blocking_http::connect(server.public);
    let silent: Vec<_> = (0..5000).map(connect).collect();
    for _ in 0..10 {
        assert_serves_others(&server);
    }
    drop(silent);
    assert_serves_others(&server);
    assert_no_failures(&server);
}

/// Raises the limit of open files of this process as far as the system allows, and returns it.
fn allow_open_files() -> u64 {
    let most = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    setrlimit(Resource::Nofile, limit).unwrap();
    most.unwrap_or(u64::MAX)
}

#[test]
fn malformed_bodies_are_rejected_and_their_connections_closed() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    let server = ServerProcess::start();
    for (headers, body, code) in [
        (chunked, "ZZ\r\n{}\r\n0\r\n\r\n", Some("malformed_request")),
        (chunked, "-1\r\n{}\r\n0\r\n\r\n", Some("malformed_request")),
        (chunked, "2\r\n{}X0\r\n\r\n", Some("malformed_request")),
        (chunked, "FFFFFFFFFFFFFFFFF\r\n", Some("malformed_request")),
        // Rejected by hyper, without an error code.
        (
            "Content-Length: 14\r\nContent-Length: 2\r\n",
            NEW_CATEGORY,
            None,
        ),
    ] {
        let mut stream = begin_post(&server, headers);
        stream.write_all(body.as_bytes()).unwrap();
        let response = blocking_http::read_response(&mut stream);
        assert_eq!(response.status, 400, "{body:?}");
        if let Some(code) = code {
            assert_eq!(response.outcome(), format!("400 {code}"), "{body:?}");
        }
        // The start of the next request is not known.
        assert!(blocking_http::is_closed(&mut stream), "{body:?}");
    }
    assert_serves_others(&server);
    assert_no_failures(&server);
}

/// Twenty times on the same database: the server is killed or stopped while clients write.
#[test]
fn neither_kills_nor_stops_under_load_lose_an_acknowledged_write() {
    let mut server = ServerProcess::start();
    let mut acknowledged = Vec::new();
    for round in 0..20 {
        let created = std::thread::scope(|scope| {
            let (acknowledge, acknowledgements) = mpsc::channel();
            for client in 0..8 {
                let (server, acknowledge) = (&server, acknowledge.clone());
                scope.spawn(move || {
                    let names = (0..).map(|number| format!("{round}/{client}/{number}"));
                    for name in names {
                        let body = json!({ "name": name }).to_string();
                        let created = server.try_send("POST", "/categories", &body, "");
                        if created.is_none_or(|it| it.status != 201) {
                            break;
                        }
                        // Nobody receives it after the signal.
                        let _ = acknowledge.send(name);
                    }
                });
            }
            drop(acknowledge);
            let mut created: Vec<String> = acknowledgements.iter().take(20 + 4 * round).collect();
            let signal = if round % 4 == 3 { "TERM" } else { "KILL" };
            server.process.signal(signal);
            created.extend(acknowledgements);
            created
        });
        acknowledged.extend(created);
        let (status, log, storage) = server.wait();
        assert_eq!(status.success(), round % 4 == 3, "{log}");
        server = ServerProcess::start_in(storage, &[]);
        let stored = server
            .storage
            .query("SELECT name FROM categories")
            .into_iter()
            .collect::<BTreeSet<_>>();
        for name in &acknowledged {
            assert!(stored.contains(name), "{name} was acknowledged and is lost");
        }
    }
}
