//! `--otlp-endpoint`: the spans that a collector gets of requests, and what happens while it is away.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};

use serde_json::{Value, json};
use test_postgres::free_port;
use test_support::collector::CollectedSpan;
use test_support::{Collector, Response, ServerProcess, blocking_http, poll_until};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SAMPLED: &str = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
const NOT_SAMPLED: &str =
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\n";

/// The number of spans that are exported without a delay.
const BATCH: usize = 512;

fn start(url: &str, arguments: &[&str]) -> ServerProcess {
    let endpoint = ["--otlp-endpoint", url, "--server-name", "web-1"];
    ServerProcess::start_with(&[&endpoint, arguments].concat())
}

/// Sends as many requests as are exported at once, on one connection.
fn send_batch(server: &ServerProcess) {
    let mut stream = blocking_http::connect(server.public);
    let request = server.format_request("GET", "/rate-limit", "", "");
    for _ in 0..BATCH {
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(blocking_http::read_response(&mut stream).status, 200);
    }
}

/// The only span of a route.
#[track_caller]
fn span_of<'s>(spans: &'s [CollectedSpan], name: &str) -> &'s CollectedSpan {
    let named: Vec<_> = spans.iter().filter(|it| it.span.name == name).collect();
    assert_eq!(named.len(), 1, "{name} in {spans:?}");
    named[0]
}

/// The trace in the log line of a request.
fn logged_trace(server: &ServerProcess, response: &Response) -> Option<Value> {
    let id = json!(response.header("x-request-id").unwrap());
    let line = server.wait_for_log_line(|it| it["request_id"] == id);
    line.get("trace_id").cloned()
}

#[test]
fn spans_are_exported_at_the_stop_with_the_attributes_of_the_conventions() {
    let collector = Collector::start();
    let server = start(
        &collector.url(),
        &["--base-path", "/v1", "--log-fields", "path"],
    );
    let key = server.key.clone();
    assert_eq!(server.send("GET", "/v1/pets/7", "").status, 404);
    assert_eq!(
        server.send("GET", "/v1/pets?status=pending", "").status,
        200
    );
    assert_eq!(server.send("GET", "/v1/docs", "").status, 200);
    assert_eq!(server.send("SEARCH", "/v1/secret-path", "").status, 404);
    let lock = server.storage.lock_writes();
    let body = json!({ "name": "Cat" }).to_string();
    assert_eq!(server.send("POST", "/v1/categories", &body).status, 503);
    drop(lock);
    server.stop();

    let spans = collector.spans();
    assert_eq!(spans.len(), 5, "{spans:?}");
    let pet = span_of(&spans, "GET /v1/pets/{petId}");
    let id = pet.attributes["http.response.header.x-request-id"].clone();
    assert_eq!(
        Value::from(pet.attributes.clone()),
        json!({
            "http.request.method": "GET",
            "http.route": "/v1/pets/{petId}",
            "http.response.status_code": 404,
            "url.scheme": "http",
            "url.path": "/v1/pets/7",
            "network.protocol.version": "1.1",
            "http.response.header.x-request-id": id,
        })
    );
    assert_eq!(pet.span.kind, 2, "SPAN_KIND_SERVER");
    assert_eq!(pet.parent_id(), "");
    assert!(pet.span.start_time_unix_nano <= pet.span.end_time_unix_nano);
    let status = |it: &CollectedSpan| it.span.status.as_ref().unwrap().code;
    assert_eq!(status(pet), 0, "not an error of the server");
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
    let failed = span_of(&spans, "POST /v1/categories");
    assert_eq!(
        (&failed.attributes["error.type"], status(failed)),
        (&json!("503"), 2)
    );
    for export in collector.exports() {
        assert_eq!(export.line(), "POST /v1/traces");
        let text = String::from_utf8_lossy(&export.body);
        for secret in [&key[8..], "pending", "127.0.0.1"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[test]
fn span_of_the_caller_is_the_parent_and_its_trace_is_in_the_log() {
    let collector = Collector::start();
    let server = start(&collector.url(), &["--otlp-sample-ratio", "0"]);
    let state = format!("{SAMPLED}tracestate: a=1,b=2\r\n");
    for (headers, of_caller) in [
        (&*state, true),
        (NOT_SAMPLED, true),
        ("traceparent: 00-1\r\n", false),
    ] {
        let response = server.send_with("GET", "/pets", "", headers);
        let trace = logged_trace(&server, &response).unwrap();
        assert_eq!(trace == TRACE, of_caller, "{headers}");
        assert_eq!(trace.as_str().unwrap().len(), 32);
    }
    server.stop();
    // The ratio is about traces that begin here.
    let spans = collector.spans();
    let child = span_of(&spans, "GET /pets");
    let parent = (child.trace_id(), child.parent_id());
    assert_eq!(parent, (TRACE.to_owned(), "b7ad6b7169203331".to_owned()));
    assert_eq!(child.span.trace_state, "a=1,b=2");

    let untraced = ServerProcess::start();
    let response = untraced.send_with("GET", "/pets", "", SAMPLED);
    assert_eq!(logged_trace(&untraced, &response), None, "by default");
}

#[test]
fn collector_that_is_away_costs_no_request_and_has_a_line_when_it_goes_and_comes() {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let server = start(&format!("http://{address}"), &[]);
    let away = |it: &Value| it["msg"].as_str().unwrap().contains("cannot be exported");
    let failed = "petstore_spans_total{outcome=\"failed\"}";
    for _ in 0..2 {
        let before = server.metric(failed);
        send_batch(&server);
        poll_until("an export that fails", || {
            (server.metric(failed) > before).then_some(())
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
    let server = start(&format!("http://{}", silent.local_addr().unwrap()), &[]);
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    server.process.signal("TERM");
    let (status, log, _) = server.wait();
    assert!(status.success(), "{log}");
    assert!(log.contains("the last spans of requests are lost"), "{log}");
}
