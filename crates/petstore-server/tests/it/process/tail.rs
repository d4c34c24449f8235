//! `/tail`: a key sees its own requests as they are answered, and nobody else's. How many streams there may be, and slow readers, are
//! tested in `dropspec-gate`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use test_support::{ServerProcess, blocking_http, stay_in_minute};

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
    (stream.line().unwrap(), stream)
}

#[track_caller]
fn open(server: &ServerProcess, key: &str) -> Stream {
    let (status, mut stream) = ask(server, key);
    assert_eq!(status, "HTTP/1.1 200 OK");
    let (name, data) = stream.next().unwrap();
    assert_eq!(
        (name.as_str(), &data["server"]),
        ("server", &json!("web-1"))
    );
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
            if let Some(name) = self.line()?.strip_prefix("event: ") {
                let data = self.line()?;
                let data = data.strip_prefix("data: ").unwrap();
                return Some((name.to_owned(), serde_json::from_str(data).unwrap()));
            }
        }
    }

    /// Members of the next event, which must be a request.
    #[track_caller]
    fn request(&mut self, members: [&str; 3]) -> [Value; 3] {
        let (name, data) = self.next().expect("an event");
        assert_eq!(name, "request", "{data}");
        members.map(|member| data[member].clone())
    }

    /// The code of the event that ends the stream, after which nothing comes.
    #[track_caller]
    fn end(mut self) -> Value {
        let (name, data) = self.next().expect("an event");
        assert_eq!((name.as_str(), self.next()), ("end", None), "{data}");
        data["code"].clone()
    }
}

#[test]
fn stream_shows_the_requests_of_its_key_and_of_no_other() {
    let server = ServerProcess::start_with(&["--server-name", "web-1"]);
    let other = server.create_key(&["--plan", "free"]);
    let revoked = server.create_key(&["--plan", "free"]);
    stay_in_minute();
    let before = server.send("GET", "/pets", "").rate_limit().1;
    let mut stream = open(&server, &server.key);
    let mut stream_of_other = open(&server, &other);
    let stream_of_revoked = open(&server, &revoked);
    assert_eq!(server.get_as(&other, "/pets?status=sold").status, 200);
    for key in ["", "pst_unknown"] {
        assert_eq!(ask(&server, key).0, "HTTP/1.1 401 Unauthorized", "{key}");
    }
    let missing = server.send("GET", "/pets/7", "");
    let remaining = missing.rate_limit().1;
    assert_eq!(before - remaining, 2, "the stream cost one");
    assert_eq!(server.send("POST", "/categories", "{}").status, 422);
    assert_eq!(server.send("GET", "/nowhere", "").status, 404);

    let id = missing.header("x-request-id").unwrap();
    let seen = stream.request(["request_id", "remaining", "path"]);
    assert_eq!(seen, [json!(id), json!(remaining), json!("/pets/7")]);
    let seen = stream.request(["operation", "status", "code"]);
    let expected = [
        json!("createCategory"),
        json!(422),
        json!("validation_failed"),
    ];
    assert_eq!(seen, expected);
    let seen = stream.request(["method", "path", "code"]);
    assert_eq!(seen, ["GET", "/nowhere", "route_not_found"]);
    let seen = stream_of_other.request(["path", "operation", "code"]);
    let expected = [json!("/pets"), json!("listPets"), Value::Null];
    assert_eq!(seen, expected, "without the query");

    server.run_keys(&["revoke", &revoked[..8]]);
    assert_eq!(stream_of_revoked.end(), "invalid_credentials");
    // There is no other event: the stop is next.
    server.process.signal("TERM");
    for stream in [stream, stream_of_other] {
        assert_eq!(stream.end(), "stopping");
    }
    server.wait_for_success();
}
