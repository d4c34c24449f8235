//! The panel and the log of a running server.

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use test_support::{Backend, ServerProcess, blocking_http, run_petstore};

#[test]
fn panel_has_health_readiness_and_metrics() {
    let server = ServerProcess::start();
    let page = server.get_panel("/healthz");
    assert_eq!((page.status, page.text()), (200, "alive\n"));
    let page = server.get_panel("/readyz");
    assert_eq!((page.status, page.text()), (200, "ready\n"));

    server.create_category("Cat");
    assert_eq!(server.send("GET", "/pets/7", "").status, 404);
    assert_eq!(blocking_http::get(server.public, "/pets").status, 401);

    let page = server.get_panel("/metrics");
    assert_eq!(
        page.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let text = page.text();
    let of_engine: &[&str] = match Backend::chosen() {
        Backend::Sqlite => &[
            "petstore_writer_queue 0",
            "petstore_writer_undone_total 0",
            // Elsewhere a lease or the time of a key's last use may be stored in the background.
            "petstore_pool_busy 0",
        ],
        _ => &["petstore_transactions_outcome_unknown_total 0"],
    };
    for line in [
        "petstore_requests_total{operation=\"createCategory\",status=\"201\"} 1",
        "petstore_requests_total{operation=\"getPet\",status=\"404\"} 1",
        "petstore_requests_total{operation=\"listPets\",status=\"401\"} 1",
        "petstore_request_seconds_count{operation=\"createCategory\"} 1",
        "petstore_limiter_decisions_total{plan=\"enterprise\",outcome=\"admitted\"} 2",
        "petstore_limiter_decisions_total{plan=\"none\",outcome=\"admitted\"} 1",
        "petstore_bans_total 0",
        "petstore_lease_failures_total 0",
        "petstore_limiter_keys 1",
        "petstore_limiter_addresses 1",
    ]
    .iter()
    .chain(of_engine)
    {
        assert!(
            text.contains(&format!("\n{line}\n")),
            "{line} is missing in\n{text}"
        );
    }
    assert!(text.ends_with("# EOF\n"));
    for (request, status) in [
        ("HEAD /readyz", 200),
        ("POST /readyz", 405),
        ("GET /pets", 404),
    ] {
        let head = format!("{request} HTTP/1.1\r\nHost: panel\r\n\r\n");
        let mut stream = blocking_http::connect(server.panel);
        stream.write_all(head.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let expected = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&expected), "{request}: {response}");
        assert_eq!(response.ends_with("\r\n\r\n"), status == 200, "{request}");
    }
}

#[test]
fn health_is_answered_at_once_while_others_hold_connections() {
    let server = ServerProcess::start();
    let open = |begin: &str| {
        let mut stream = blocking_http::connect(server.panel);
        stream.write_all(begin.as_bytes()).unwrap();
        stream
    };
    let head = |start: &str| format!("{start} HTTP/1.1\r\nHost: localhost\r\nX-Operator: 1\r\n");
    let page = head("GET /operator/events") + "\r\n";
    let login = head("POST /operator/login") + "Content-Length: 16\r\n\r\n";
    let unfinished = head("GET /healthz");
    let mut pages: Vec<_> = (0..8).map(|_| open(&page)).collect();
    for stream in &mut pages {
        let mut status = [0; 15];
        stream.read_exact(&mut status).unwrap();
        assert_eq!(&status, b"HTTP/1.1 200 OK");
    }
    for begin in ["", &unfinished, &login] {
        let held: Vec<_> = (0..200).map(|_| open(begin)).collect();
        for _ in 0..5 {
            let mut stream = open(&(head("GET /healthz") + "\r\n"));
            // Far less than any connection may be held.
            let time = Some(Duration::from_secs(1));
            stream.set_read_timeout(time).unwrap();
            assert_eq!(
                blocking_http::read_response(&mut stream).status,
                200,
                "{begin}"
            );
        }
        drop(held);
    }
    // They are still open.
    for stream in &mut pages {
        stream.read_exact(&mut [0; 1000]).unwrap();
    }
}

#[test]
fn health_asks_a_running_server() {
    let server = ServerProcess::start_on_file();
    let panel = server.panel.to_string();
    let directory = TempDir::new().unwrap();
    let health = |arguments: &[&str]| {
        let output = run_petstore(directory.path(), &[&["health"], arguments].concat());
        let texts = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.code(), texts.concat())
    };
    let ready = health(&["--admin-listen", &panel]);
    assert_eq!(ready, (Some(0), "ready\n".to_owned()));
    // It listens on all addresses.
    let everywhere = format!("0.0.0.0:{}", server.panel.port());
    let alive = health(&["--admin-listen", &everywhere, "--alive"]);
    assert_eq!(alive, (Some(0), "alive\n".to_owned()));

    std::fs::remove_file(server.database()).unwrap();
    let (status, text) = health(&["--admin-listen", &panel]);
    assert_eq!(status, Some(2));
    let expected = format!("error: http://{panel}/readyz is 503: ");
    assert!(text.starts_with(&expected), "{text}");
    assert!(
        text.contains("petstore.db was removed or replaced"),
        "{text}"
    );
    server.wait_for_log_line(|line| {
        let error = line["error"].as_str();
        error.is_some_and(|it| it.contains("removed or replaced"))
    });
    let public = server.public.to_string();
    let text = health(&["--admin-listen", &public]).1;
    assert!(text.contains("/readyz is 401"), "{text}");

    drop(server);
    let (status, text) = health(&["--admin-listen", &panel]);
    let expected = format!("error: the panel at {panel} does not answer: ");
    assert_eq!(status, Some(2));
    assert!(text.starts_with(&expected), "{text}");
}

#[test]
fn each_request_is_logged_in_one_line_with_the_key_prefix() {
    let server = ServerProcess::start();
    let response = server.send("GET", "/pets?limit=5", "");
    let id = response.header("x-request-id").unwrap().to_owned();
    let line = server.wait_for_log_line(|line| line["request_id"] == json!(id));
    assert_eq!(line["msg"], json!("request"));
    assert_eq!(line["level"], json!("INFO"));
    assert_eq!(line["operation"], json!("listPets"));
    assert_eq!(line["status"], json!(200));
    assert_eq!(line["key"], json!(server.key[..8]));
    assert!(line["latency_us"].as_u64().unwrap() > 0);

    let response = blocking_http::get(server.public, "/pets");
    let id = response.header("x-request-id").unwrap().to_owned();
    let line = server.wait_for_log_line(|line| line["request_id"] == json!(id));
    assert_eq!((&line["status"], &line["key"]), (&json!(401), &json!(null)));

    let lines = server.read_log();
    let requests = lines.iter().filter(|line| line["msg"] == json!("request"));
    assert_eq!(requests.count(), 2);
    let log = serde_json::to_string(&lines).unwrap();
    let log = server.storage.hide_engines(&log);
    for secret in [&server.key, "127.0.0.1"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn start_and_stop_are_logged() {
    let server = ServerProcess::start();
    let started = server.wait_for_log_line(|line| line["msg"] == json!("started"));
    assert_eq!(started["version"], json!(env!("CARGO_PKG_VERSION")));
    assert_eq!(started["new_database"], json!(true));
    if Backend::chosen().is_file() {
        assert_eq!(started["database"], json!(server.database()))
    }
    // The log is written before the process ends.
    let directory = server.stop();
    let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
    let last: Vec<Value> = log
        .lines()
        .rev()
        .take(2)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(last[0]["msg"], json!("stopped"));
    assert_eq!(
        (&last[1]["msg"], &last[1]["signal"]),
        (&json!("stopping"), &json!("SIGTERM"))
    );
    let server = ServerProcess::start_in(directory, &[]);
    let started = server.wait_for_log_line(|line| line["msg"] == json!("started"));
    assert_eq!(started["new_database"], json!(false));
}
