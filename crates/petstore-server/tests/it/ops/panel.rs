//! The panel and the log of a running server.

use serde_json::{Value, json};

use crate::binary::eventually;
use crate::ops::server::Server;
use crate::wire;

#[test]
fn the_panel_tells_health_readiness_and_figures() {
    let server = Server::start();
    let page = server.panel("/healthz");
    assert_eq!((page.status, page.text()), (200, "alive\n"));
    let page = server.panel("/readyz");
    assert_eq!((page.status, page.text()), (200, "ready\n"));

    assert_eq!(
        server
            .send("POST", "/categories", r#"{"name":"Cat"}"#)
            .status,
        201
    );
    assert_eq!(server.send("GET", "/pets/7", "").status, 404);
    assert_eq!(wire::get(server.public, "/pets").status, 401);

    let page = server.panel("/metrics");
    assert_eq!(
        page.header("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let text = page.text();
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
        "petstore_writer_queue 0",
        "petstore_writer_undone_total 0",
        "petstore_pool_busy 0",
    ] {
        assert!(
            text.contains(&format!("\n{line}\n")),
            "{line} is missing in\n{text}"
        );
    }
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn the_panel_is_not_ready_while_the_server_stops() {
    let server = Server::start();
    // A request in flight keeps the server from ending before it can be asked.
    let mut pending = wire::connect(server.public);
    let request = server.request("POST", "/categories", r#"{"name":"Dog"}"#, "");
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    std::io::Write::write_all(&mut pending, format!("{head}\r\n\r\n").as_bytes()).unwrap();
    eventually("the request to be in flight", || {
        let figures = server.panel("/metrics");
        figures
            .text()
            .contains("outcome=\"admitted\"} 1")
            .then_some(())
    });
    server.signal("TERM");
    let page = eventually("the server to be stopping", || {
        Some(server.panel("/readyz")).filter(|page| page.status == 503)
    });
    assert_eq!(page.text(), "stopping\n");
    std::io::Write::write_all(&mut pending, body.as_bytes()).unwrap();
    assert_eq!(wire::answer(&mut pending).status, 201);
    server.finish();
}

#[test]
fn the_panel_is_not_ready_without_the_database() {
    let server = Server::start();
    std::fs::remove_file(server.database()).unwrap();
    let page = server.panel("/readyz");
    assert_eq!(
        (page.status, page.text()),
        (503, "the store cannot be read\n")
    );
    server.log_line(|line| {
        let error = line["error"].as_str();
        error.is_some_and(|it| it.contains("removed or replaced"))
    });
}

#[test]
fn a_request_is_one_line_of_the_log_and_names_no_secret() {
    let server = Server::start();
    let answer = server.send("GET", "/pets?limit=5", "");
    let id = answer.header("x-request-id").unwrap().to_owned();
    let line = server.log_line(|line| line["request_id"] == json!(id));
    assert_eq!(line["msg"], json!("request"));
    assert_eq!(line["level"], json!("INFO"));
    assert_eq!(line["operation"], json!("listPets"));
    assert_eq!(line["status"], json!(200));
    assert_eq!(line["key"], json!(server.key[..8]));
    assert!(line["latency_us"].as_u64().unwrap() > 0);

    let answer = wire::get(server.public, "/pets");
    let id = answer.header("x-request-id").unwrap().to_owned();
    let line = server.log_line(|line| line["request_id"] == json!(id));
    assert_eq!((&line["status"], &line["key"]), (&json!(401), &json!(null)));

    let lines = server.log();
    let requests = lines.iter().filter(|line| line["msg"] == json!("request"));
    assert_eq!(requests.count(), 2);
    let log = serde_json::to_string(&lines).unwrap();
    for secret in [&server.key, "127.0.0.1"] {
        assert!(!log.contains(secret), "the log names {secret}");
    }
}

#[test]
fn a_client_that_leaves_is_named_by_its_request_alone() {
    let server = Server::start();
    assert_eq!(server.create("Cat"), 201);
    // Its answer is long in coming, and it does not wait.
    let other = rusqlite::Connection::open(server.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut impatient = wire::connect(server.public);
    let request = server.request("POST", "/categories", r#"{"name":"Dog"}"#, "");
    std::io::Write::write_all(&mut impatient, request.as_bytes()).unwrap();
    eventually("the request to be in flight", || {
        let figures = server.panel("/metrics");
        figures
            .text()
            .contains("outcome=\"admitted\"} 2")
            .then_some(())
    });
    drop(impatient);
    let left = server.log_line(|line| {
        let message = line["msg"].as_str();
        message.is_some_and(|it| it.contains("client disconnected"))
    });
    other.execute_batch("ROLLBACK").unwrap();
    let id = &left["request_id"];
    let line = server.log_line(|line| line["msg"] == json!("request") && line["request_id"] == *id);
    assert_eq!(line["operation"], json!("createCategory"));
    let log = serde_json::to_string(&server.log()).unwrap();
    assert!(
        !log.contains("127.0.0.1"),
        "the log names an address: {log}"
    );
}

#[test]
fn the_log_tells_the_start_and_the_end_of_the_server() {
    let server = Server::start();
    let started = server.log_line(|line| line["msg"] == json!("started"));
    assert_eq!(started["version"], json!(env!("CARGO_PKG_VERSION")));
    let database = server.directory.path().join("petstore.db");
    assert_eq!(started["database"], json!(database));
    assert_eq!(started["new_database"], json!(true));
    // The log is written before the process ends.
    let directory = server.stop();
    let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [.., stopping, stopped] = &lines[..] else {
        panic!("too few lines: {log}");
    };
    assert_eq!(
        (&stopping["msg"], &stopping["signal"]),
        (&json!("stopping"), &json!("SIGTERM"))
    );
    assert_eq!(stopped["msg"], json!("stopped"));
    let server = Server::start_in(directory, &[]);
    let started = server.log_line(|line| line["msg"] == json!("started"));
    assert_eq!(started["new_database"], json!(false));
}

#[test]
fn the_level_flag_quiets_the_log() {
    let server = Server::start_with(&["--log-level", "warn"]);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    // The log is written before the process ends.
    let directory = server.stop();
    let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
    assert_eq!(log, "");
}
