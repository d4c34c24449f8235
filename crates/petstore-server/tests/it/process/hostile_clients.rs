//! Clients that are slow, silent, broken or many: the server limits what they use, and serves the others meanwhile.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use test_support::{ServerProcess, blocking_http, poll_until};

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
    let counts = metrics.text().lines();
    let counts = counts.filter(|line| line.starts_with("petstore_requests_total"));
    let failures = counts.filter(|line| line.contains("status=\"5") && !line.ends_with(" 0"));
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
    let server = ServerProcess::start_with_file_limit(1024);
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
fn pipelined_requests_are_answered_in_order() {
    let server = ServerProcess::start();
    let mut all = String::new();
    for name in ["Cat", "Dog", "Eel"] {
        let body = json!({ "name": name }).to_string();
        all += &server.format_request("POST", "/categories", &body, "");
    }
    all += &server.format_request("GET", "/categories/3", "", "");
    let mut stream = blocking_http::connect(server.public);
    stream.write_all(all.as_bytes()).unwrap();
    for (id, name) in [(1, "Cat"), (2, "Dog"), (3, "Eel"), (3, "Eel")] {
        let category: Value = blocking_http::read_response(&mut stream).json();
        let seen = (&category["id"], &category["name"]);
        assert_eq!(seen, (&json!(id), &json!(name)));
    }
    assert_no_failures(&server);
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

#[test]
fn large_heads_are_rejected_with_431() {
    let server = ServerProcess::start();
    let mut stream = blocking_http::connect(server.public);
    let large = "x".repeat(2 * 1024 * 1024);
    let head = format!("GET /pets HTTP/1.1\r\nX-Large: {large}");
    // The server may close the connection before all is sent, and the response may be lost then.
    let _ = stream.write_all(head.as_bytes());
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    let text = String::from_utf8_lossy(&response);
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 431 "),
        "{text}"
    );
    let many: String = (0..1000).map(|n| format!("X-{n}: y\r\n")).collect();
    let request = server.format_request("GET", "/pets", "", &many);
    assert_eq!(blocking_http::send(server.public, &request).status, 431);
    for (size, status) in [(63 * 1024, 200), (65 * 1024, 431)] {
        let large = format!("X-Large: {}\r\n", "x".repeat(size));
        let request = server.format_request("GET", "/pets", "", &large);
        let response = blocking_http::send(server.public, &request);
        assert_eq!(response.status, status, "{size}");
    }
    assert_serves_others(&server);
    assert_no_failures(&server);
}

#[test]
fn stop_under_load_loses_no_acknowledged_write() {
    let server = ServerProcess::start();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let create_until_stopped = |client: usize| {
            let names = (0..).map(move |number| format!("{client}-{number}"));
            let created = names.take_while(|name| {
                let body = json!({ "name": name }).to_string();
                let created = server.try_send("POST", "/categories", &body, "");
                created.is_some_and(|it| it.status == 201)
            });
            created.collect::<Vec<_>>()
        };
        let clients: Vec<_> = (0..8)
            .map(|client| scope.spawn(move || create_until_stopped(client)))
            .collect();
        let created = "petstore_requests_total{operation=\"createCategory\",status=\"201\"}";
        poll_until("50 writes", || {
            (server.find_metric(created)? > 50).then_some(())
        });
        server.process.signal("TERM");
        let names = clients.into_iter().flat_map(|it| it.join().unwrap());
        names.collect()
    });
    let directory = server.wait_for_success();
    assert!(acknowledged.len() > 50);
    let stored = ServerProcess::start_in(directory, &[]).category_names();
    for name in &acknowledged {
        assert!(stored.contains(name), "{name} was acknowledged and is lost");
    }
}
