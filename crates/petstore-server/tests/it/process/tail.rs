//! `/tail`: a key sees its own requests as they are answered, and nobody else's.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use test_support::{Response, ServerProcess, blocking_http, poll_until};

/// An open stream.
struct Stream(BufReader<TcpStream>);

/// Sends the request for a stream, and returns the status line and what follows it.
fn ask(server: &ServerProcess, key: &str) -> (String, Stream) {
    let mut stream = blocking_http::connect(server.public);
    let request = format!(
        "GET /tail HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut stream = Stream(BufReader::new(stream));
    let status = stream.line().unwrap();
    (status, stream)
}

/// Opens a stream of a key.
#[track_caller]
fn open(server: &ServerProcess, key: &str) -> Stream {
    let (status, mut stream) = ask(server, key);
    assert_eq!(status, "HTTP/1.1 200 OK");
    let (name, data) = stream.next().unwrap();
    assert_eq!(name, "server");
    assert_eq!(data["server"], "web-1");
    stream
}

impl Stream {
    /// The next line; `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = self.0.read_line(&mut line).unwrap();
        (length > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; `None` at the end of the stream.
    fn next(&mut self) -> Option<(String, Value)> {
        loop {
            let line = self.line()?;
            if let Some(name) = line.strip_prefix("event: ") {
                let data = self.line()?;
                let data = data.strip_prefix("data: ").unwrap();
                return Some((name.to_owned(), serde_json::from_str(data).unwrap()));
            }
        }
    }

    /// The data of the next event, which must be a request.
    #[track_caller]
    fn request(&mut self) -> Value {
        let (name, data) = self.next().expect("an event");
        assert_eq!(name, "request", "{data}");
        data
    }

    /// The code of the event that ends the stream, after which nothing comes.
    #[track_caller]
    fn end(mut self) -> Value {
        let (name, data) = self.next().expect("an event");
        assert_eq!((name.as_str(), self.next()), ("end", None), "{data}");
        data["code"].clone()
    }
}

fn start() -> ServerProcess {
    ServerProcess::start_with(&["--server-name", "web-1"])
}

fn send_as(server: &ServerProcess, key: &str, path: &str) -> Response {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: petstore\r\nX-API-Key: {key}\r\nConnection: close\r\n\r\n"
    );
    blocking_http::send(server.public, &request)
}

#[test]
fn stream_shows_the_requests_of_its_key_and_of_no_other() {
    let server = start();
    let other = server.create_key(&["--plan", "free"]);
    let mut stream = open(&server, &server.key);
    let mut stream_of_other = open(&server, &other);
    assert_eq!(send_as(&server, &other, "/pets?status=sold").status, 200);
    assert_eq!(send_as(&server, "", "/pets").status, 401);
    assert_eq!(send_as(&server, "pst_unknown", "/pets").status, 401);
    let missing = server.send("GET", "/pets/7", "");
    assert_eq!(missing.status, 404);
    assert_eq!(server.send("POST", "/categories", "{}").status, 422);
    assert_eq!(server.send("GET", "/nowhere", "").status, 404);

    let request = stream.request();
    let id = missing.headers["x-request-id"].to_str().unwrap();
    let remaining = missing.headers["x-ratelimit-remaining"].to_str().unwrap();
    assert_eq!(request["request_id"], id);
    assert_eq!(request["remaining"].to_string(), remaining);
    for (member, expected) in [
        ("method", json!("GET")),
        ("path", json!("/pets/7")),
        ("operation", json!("getPet")),
        ("status", json!(404)),
        ("code", json!("pet_not_found")),
        ("limit", json!(1_000_000)),
    ] {
        assert_eq!(request[member], expected, "{member} of {request}");
    }
    assert!(request["duration_us"].as_u64() > Some(0), "{request}");
    assert!(
        request["time"].as_str().unwrap().ends_with('Z'),
        "{request}"
    );
    let request = stream.request();
    assert_eq!(
        (&request["operation"], &request["code"]),
        (&json!("createCategory"), &json!("validation_failed"))
    );
    let request = stream.request();
    assert_eq!(
        (&request["path"], &request["code"]),
        (&json!("/nowhere"), &json!("route_not_found"))
    );

    let request = stream_of_other.request();
    assert_eq!(
        (&request["path"], &request["code"]),
        (&json!("/pets"), &Value::Null),
        "without the query"
    );
    // It has no other event: the stop is next.
    server.process.signal("TERM");
    for stream in [stream, stream_of_other] {
        assert_eq!(stream.end(), "stopping");
    }
    server.wait_for_success();
}

#[test]
fn stream_needs_a_key_and_is_a_request_of_it() {
    let server = start();
    for key in ["", "pst_unknown"] {
        let (status, _) = ask(&server, key);
        assert_eq!(status, "HTTP/1.1 401 Unauthorized", "{key}");
    }
    let before = server.send("GET", "/pets", "");
    let stream = open(&server, &server.key);
    let after = server.send("GET", "/pets", "");
    let remaining = |response: &Response| -> u64 {
        let text = response.headers["x-ratelimit-remaining"].to_str();
        text.unwrap().parse().unwrap()
    };
    assert_eq!(
        remaining(&before) - remaining(&after),
        2,
        "the stream cost one"
    );
    let refused = server.send("POST", "/tail", "");
    assert_eq!(
        (refused.status, refused.headers["allow"].to_str().unwrap()),
        (405, "GET, OPTIONS")
    );
    drop(stream);
    server.stop();
}

#[test]
fn stream_ends_when_its_key_is_revoked() {
    let server = start();
    let key = server.create_key(&["--plan", "free"]);
    let stream = open(&server, &key);
    server.run_keys(&["revoke", &key[..8]]);
    assert_eq!(stream.end(), "invalid_credentials");
}
