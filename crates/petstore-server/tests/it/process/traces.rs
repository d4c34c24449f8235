//! `--otlp-endpoint`: the spans that a collector gets of requests, and what happens while it is away.

use std::net::{SocketAddr, TcpListener};

use serde_json::{Value, json};
use test_support::collector::CollectedSpan;
use test_support::{Collector, Response, ServerProcess, Storage, blocking_http, poll_until};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SAMPLED: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const NOT_SAMPLED: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

/// The number of spans that are exported without a delay.
const BATCH: usize = 512;

fn start(collector: &Collector, arguments: &[&str]) -> ServerProcess {
    let url = collector.url();
    let endpoint = ["--otlp-endpoint", &url, "--server-name", "web-1"];
    ServerProcess::start_with(&[&endpoint, arguments].concat())
}

/// Sends a request with the key and further headers, each of which ends in CRLF.
fn send_with(server: &ServerProcess, path: &str, headers: &str) -> Response {
    let headers = format!("Connection: close\r\n{headers}");
    let request = server.format_request("GET", path, "", &headers);
    blocking_http::send(server.public, &request)
}

/// Sends as many requests as are exported at once, on one connection.
fn send_batch(server: &ServerProcess) {
    let mut stream = blocking_http::connect(server.public);
    let request = server.format_request("GET", "/rate-limit", "", "");
    for _ in 0..BATCH {
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        assert_eq!(blocking_http::read_response(&mut stream).status, 200);
    }
}

/// The only span of a route.
#[track_caller]
fn span_of<'s>(spans: &'s [CollectedSpan], name: &str) -> &'s CollectedSpan {
    let mut named = spans.iter().filter(|it| it.span.name == name);
    match (named.next(), named.next()) {
        (Some(span), None) => span,
        _ => panic!("not one {name} in {spans:?}"),
    }
}

#[test]
fn spans_are_exported_at_the_stop_with_the_attributes_of_the_conventions() {
    let collector = Collector::start();
    let server = start(&collector, &["--base-path", "/v1"]);
    let key = server.key.clone();
    assert_eq!(server.send("GET", "/v1/pets/7", "").status, 404);
    let listed = server.send("GET", "/v1/pets?status=pending", "");
    assert_eq!(listed.status, 200);
    assert_eq!(server.send("POST", "/v1/categories", "{}").status, 422);
    assert_eq!(server.send("GET", "/v1/docs", "").status, 200);
    let unknown = server.send("SEARCH", "/v1/secret-path", "");
    assert_eq!(unknown.status, 404);
    let lock = server.storage.lock_writes();
    let body = json!({ "name": "Cat" }).to_string();
    let failed = server.send("POST", "/v1/categories?", &body);
    drop(lock);
    assert_eq!(failed.status, 503);
    server.stop();

    let spans = collector.spans();
    assert_eq!(spans.len(), 6, "{spans:?}");
    let pet = span_of(&spans, "GET /v1/pets/{petId}");
    let id = pet.attributes["http.response.header.x-request-id"].clone();
    assert_eq!(
        Value::from(pet.attributes.clone()),
        json!({
            "http.request.method": "GET",
            "http.route": "/v1/pets/{petId}",
            "http.response.status_code": 404,
            "url.scheme": "http",
            "network.protocol.version": "1.1",
            "http.response.header.x-request-id": id,
        })
    );
    assert_eq!(pet.span.kind, 2, "SPAN_KIND_SERVER");
    assert_eq!(pet.parent_id(), "");
    assert!(pet.span.start_time_unix_nano <= pet.span.end_time_unix_nano);
    assert_eq!(
        pet.span.status.as_ref().unwrap().code,
        0,
        "not an error of the server"
    );
    for (name, value) in [
        ("service.name", "petstore"),
        ("service.instance.id", "web-1"),
        ("service.version", env!("CARGO_PKG_VERSION")),
    ] {
        assert_eq!(pet.resource[name], value, "{:?}", pet.resource);
    }
    span_of(&spans, "GET /v1/docs");
    let other = span_of(&spans, "HTTP");
    assert_eq!(other.attributes["http.request.method"], "_OTHER");
    assert_eq!(other.attributes["http.request.method_original"], "SEARCH");
    assert!(!other.attributes.contains_key("http.route"));

    let categories = spans
        .iter()
        .filter(|it| it.span.name == "POST /v1/categories");
    let statuses: Vec<_> = categories
        .map(|it| {
            let status = &it.attributes["http.response.status_code"];
            let kind = it.attributes.get("error.type").cloned();
            (status.clone(), kind, it.span.status.as_ref().unwrap().code)
        })
        .collect();
    let expected = [(json!(422), None, 0), (json!(503), Some(json!("503")), 2)];
    assert_eq!(statuses, expected);

    for export in collector.exports() {
        assert!(
            export.head.starts_with("post /v1/traces http/1.1\r\n"),
            "{}",
            export.head
        );
        let text = String::from_utf8_lossy(&export.body);
        for secret in [&key[8..], "pending", "secret-path", "127.0.0.1"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[test]
fn path_and_client_are_attributes_if_the_log_has_them() {
    let collector = Collector::start();
    let server = start(&collector, &["--log-fields", "path,client"]);
    assert_eq!(server.send("GET", "/pets/7", "").status, 404);
    server.stop();
    let spans = collector.spans();
    let pet = span_of(&spans, "GET /pets/{petId}");
    assert_eq!(pet.attributes["url.path"], "/pets/7");
    assert_eq!(pet.attributes["client.address"], "127.0.0.1");
}

#[test]
fn span_of_the_caller_is_the_parent_and_its_trace_is_in_the_log() {
    let collector = Collector::start();
    let server = start(&collector, &[]);
    let parents = [
        (
            "/pets/1",
            format!("traceparent: {SAMPLED}\r\ntracestate: a=1,b=2\r\n"),
        ),
        ("/orders", "traceparent: 00-not-a-parent-01\r\n".to_owned()),
        ("/categories", format!("traceparent: {NOT_SAMPLED}\r\n")),
    ];
    for (path, headers) in &parents {
        let response = send_with(&server, path, headers);
        let id = response.headers["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let line = server.wait_for_log_line(|it| it["request_id"] == id.as_str());
        let is_parent = line["trace_id"] == TRACE;
        assert_eq!(is_parent, *path != "/orders", "{line}");
        assert_eq!(line["trace_id"].as_str().unwrap().len(), 32);
    }
    server.stop();

    let spans = collector.spans();
    assert_eq!(
        spans.len(),
        2,
        "that of the trace that is not sampled is left out: {spans:?}"
    );
    let child = span_of(&spans, "GET /pets/{petId}");
    assert_eq!(
        (child.trace_id().as_str(), child.parent_id().as_str()),
        (TRACE, "b7ad6b7169203331")
    );
    assert_eq!(child.span.trace_state, "a=1,b=2");
    let root = spans.iter().find(|it| it.trace_id() != TRACE).unwrap();
    assert_eq!(root.parent_id(), "", "an invalid parent is ignored");
}

#[test]
fn ratio_decides_about_traces_that_begin_here_only() {
    let collector = Collector::start();
    let server = start(&collector, &["--otlp-sample-ratio", "0"]);
    assert_eq!(send_with(&server, "/pets", "").status, 200);
    let sampled = format!("traceparent: {SAMPLED}\r\n");
    assert_eq!(send_with(&server, "/pets", &sampled).status, 200);
    server.stop();
    let traces: Vec<_> = collector
        .spans()
        .iter()
        .map(CollectedSpan::trace_id)
        .collect();
    assert_eq!(traces, [TRACE]);
}

#[test]
fn collector_that_is_away_costs_no_request_and_has_a_line_when_it_goes_and_comes() {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let url = format!("http://{address}");
    let server = ServerProcess::start_with(&["--otlp-endpoint", &url]);
    let away = |it: &Value| it["msg"].as_str().unwrap().contains("cannot be exported");
    for _ in 0..2 {
        let failed = server.metric("petstore_spans_total{outcome=\"failed\"}");
        send_batch(&server);
        poll_until("an export that fails", || {
            let now = server.metric("petstore_spans_total{outcome=\"failed\"}");
            (now > failed).then_some(())
        });
    }
    let line = server.wait_for_log_line(away);
    let error = line["error"].as_str().unwrap().to_lowercase();
    assert!(error.contains("refused"), "it says why: {line}");

    let collector = Collector::start_at(address);
    send_batch(&server);
    let back =
        server.wait_for_log_line(|it| it["msg"].as_str().unwrap().contains("exported again"));
    assert!(back["lost_spans"].as_u64() >= Some(BATCH as u64), "{back}");
    assert_eq!(server.read_log().iter().filter(|it| away(it)).count(), 1);
    server.stop();
    assert!(!collector.spans().is_empty());
}

#[test]
fn stop_does_not_wait_long_for_a_collector_that_hangs() {
    // It accepts connections, and answers nothing.
    let silent = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let server = ServerProcess::start_with(&["--otlp-endpoint", &url]);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    server.process.signal("TERM");
    let (status, log, _) = server.wait();
    assert!(status.success(), "{log}");
    assert!(log.contains("the last spans of requests are lost"), "{log}");
}

#[test]
fn requests_are_not_traced_by_default() {
    let server = ServerProcess::start();
    let sampled = format!("traceparent: {SAMPLED}\r\n");
    let response = send_with(&server, "/pets", &sampled);
    let id = response.headers["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let line = server.wait_for_log_line(|it| it["request_id"] == id.as_str());
    assert_eq!(line.get("trace_id"), None);
}
