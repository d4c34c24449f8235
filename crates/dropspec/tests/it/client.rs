//! The generated client as its users have it: settings from environment variables, retries, and names that collide.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::thread::{self, JoinHandle};

use crate::made::{Made, target, text};

/// Every kind of credentials, and operations with the names of the client's own methods.
const DOCUMENT: &str = r#"
openapi: 3.0.3
info: {title: 'Corner "Shop"', version: 1.0.0}
security: [{api-key: [], query: []}, {basic: []}, {self: []}, {cookie: []}, {timeout: []}]
paths:
  /things:
    get: {operationId: listThings, responses: {'200': {description: All., content: {application/json: {schema: {type: string}}}}}}
    post:
      operationId: addThing
      parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string}}]
      responses: {'204': {description: Added.}}
    put:
      operationId: uploadThing
      requestBody: {content: {application/octet-stream: {schema: {type: string, format: binary}}}}
      responses: {'204': {description: Stored.}}
  /names:
    get: {operationId: builder, responses: {'204': {description: ok}}}
    put: {operationId: from_env, responses: {'204': {description: ok}}}
    post: {operationId: with_retries, responses: {'204': {description: ok}}}
    delete: {operationId: client_builder, responses: {'204': {description: ok}}}
components:
  securitySchemes:
    api-key: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: q}
    basic: {type: http, scheme: basic}
    self: {type: http, scheme: bearer}
    cookie: {type: apiKey, in: cookie, name: sid}
    timeout: {type: oauth2, flows: {}}
    retries: {type: openIdConnect, openIdConnectUrl: https://example.com}
"#;

/// Calls what its first argument says, with a clock whose waits end at once, and prints the result and the waits.
const PROGRAM: &str = r##"
use std::sync::{Arc, Mutex};
use std::time::Duration;

use shop_client::{Client, ClientBuilder, Clock, RetryPolicy, SettingsError};
use spec_client::futures::{future::BoxFuture, stream};
use spec_client::reqwest::Body;

#[derive(Clone, Debug, Default)]
struct TestClock(Arc<Mutex<Duration>>);

impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        *self.0.lock().unwrap() += duration;
        Box::pin(std::future::ready(()))
    }
}

/// Settings by code, and names that collide: this is compiled.
fn _settings() -> Result<Client, SettingsError> {
    let builder: ClientBuilder = Client::builder();
    let client = builder
        .base_url("https://example.com/v1")
        .api_key("k").query("q").basic("user", "password").self_("token").cookie("c")
        .timeout_credentials("t").retries_credentials("t")
        .retries(RetryPolicy::off())
        .timeout(Duration::from_secs(60))
        .http_client(Default::default())
        .observer(|event| println!("{}", event.reason))
        .exchange_observer(|exchange| println!("{}", exchange.attempt))
        .build()?;
    let client = client.with_self_("token").with_timeout2("t").with_retries2("t");
    let _ = (client.builder_operation(), client.from_env_operation(), client.with_retries_operation(), client.client_builder());
    Ok(client)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clock = TestClock::default();
    // Of the same settings, with the credentials that it requires.
    Client::from_env()?;
    let client = Client::builder().env().clock(clock.clone()).build()?;
    let action = std::env::args().nth(1).unwrap();
    let result = match action.as_str() {
        "list" => client.list_things().send().await.map(|_| ()),
        "add" => client.add_thing().send().await.map(|_| ()),
        "add-by-key" => client.add_thing().idempotency_key("mine").send().await.map(|_| ()),
        "upload-stream" => {
            let chunks = stream::iter([Ok::<_, std::io::Error>("bytes")]);
            client.upload_thing().body(Body::wrap_stream(chunks)).send().await.map(|_| ())
        }
        other => panic!("{other}"),
    };
    match result {
        Ok(()) => println!("ok, waited {:?}", clock.elapsed()),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
"##;

/// A server that gives each connection one of these responses; an empty one ends the connection.
struct Server {
    address: SocketAddr,
    requests: JoinHandle<Vec<String>>,
}

impl Server {
    fn start(responses: &[&str]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let responses: Vec<String> = responses.iter().map(|it| (*it).to_owned()).collect();
        let requests = thread::spawn(move || {
            let answer = |response: String| {
                let (mut connection, _) = listener.accept().unwrap();
                let request = read_request(&mut BufReader::new(&connection))?;
                connection.write_all(response.as_bytes()).unwrap();
                Some(request)
            };
            responses.into_iter().map_while(answer).collect()
        });
        Server { address, requests }
    }

    fn url(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    /// The requests that arrived, also if they are fewer than the responses.
    fn stop(self) -> Vec<String> {
        // A connection without a request ends the server, unless it has ended.
        drop(TcpStream::connect(self.address));
        self.requests.join().unwrap()
    }
}

/// Reads the head of a request, and a body that has a length or is chunked. `None` if there is no request.
fn read_request(connection: &mut impl BufRead) -> Option<String> {
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if connection.read_line(&mut request).unwrap() == 0 {
            return None;
        }
    }
    let head = request.to_ascii_lowercase();
    if head.contains("transfer-encoding") {
        while !request.ends_with("\r\n0\r\n\r\n") {
            connection.read_line(&mut request).unwrap();
        }
    }
    let length = head.split("content-length: ").nth(1);
    let length = length.map_or(0, |text| text.lines().next().unwrap().parse().unwrap());
    let mut body = vec![0; length];
    connection.read_exact(&mut body).unwrap();
    Some(request)
}

fn response(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn run(action: &str, variables: &[(&str, &str)]) -> Output {
    let mut call = Command::new(target().join("debug/examples/shop-call"));
    call.arg(action).env_clear();
    call.envs(variables.iter().copied()).output().unwrap()
}

/// Runs an action against a server with these responses, and returns what it printed and the requests.
fn call(action: &str, responses: &[&str]) -> (String, Vec<String>) {
    let server = Server::start(responses);
    let basic = ("SHOP_BASIC", "ada:secret");
    let output = run(action, &[("SHOP_URL", &server.url()), basic]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), server.stop())
}

fn keys(requests: &[String]) -> Vec<&str> {
    let lines = requests.iter().flat_map(|request| request.lines());
    lines
        .filter_map(|line| line.strip_prefix("idempotency-key: "))
        .collect()
}

#[test]
fn client_is_set_by_variables_and_sends_again_what_is_safe() {
    let made = Made::new("shop", "shop.yaml", DOCUMENT);
    let client = made.root().join("crates/shop-client");
    fs::write(client.join("examples/shop-call.rs"), PROGRAM).unwrap();
    let built = made.cargo(&["build", "--quiet", "-p", "shop-client", "--examples"]);
    assert!(built.status.success(), "{}", text(&built.stderr));
    wrong_settings_are_named();
    credentials_of_the_first_complete_alternative_are_sent();
    requests_are_sent_again_if_that_is_safe();
}

fn wrong_settings_are_named() {
    let url = ("SHOP_URL", "http://127.0.0.1:9");
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], "there is no base URL: set SHOP_URL to the address"),
        (&[("SHOP_URL", "")], "there is no base URL: set SHOP_URL"),
        (
            &[("SHOP_URL", "localhost:80"), ("SHOP_SELF", "t")],
            "SHOP_URL: the base URL `localhost:80` has no scheme",
        ),
        (
            &[url],
            "there are no credentials: set SHOP_API_KEY (the key in the header `X-Key`) and SHOP_QUERY (the key in the query \
             parameter `q`), or SHOP_BASIC (user and password, as USER:PASSWORD), or SHOP_SELF (the token in \
             `Authorization: Bearer …`), or SHOP_COOKIE (the key in the cookie `sid`), or SHOP_TIMEOUT (the token in",
        ),
        (
            &[url, ("SHOP_API_KEY", "k")],
            "there are no credentials: set SHOP_QUERY (the key in the query parameter `q`), or",
        ),
        (
            &[url, ("SHOP_BASIC", "ada")],
            "SHOP_BASIC has no colon: it is user and password",
        ),
        (
            &[url, ("SHOP_API_KEY", "a\nb"), ("SHOP_QUERY", "q")],
            "SHOP_API_KEY has characters that a header cannot hold; it is the key in the header `X-Key`",
        ),
    ];
    for (variables, expected) in cases {
        let output = run("list", variables);
        let error = text(&output.stderr);
        let expected = format!("Error: {expected}");
        assert!(error.starts_with(&expected), "{expected}\n{error}");
    }
}

fn credentials_of_the_first_complete_alternative_are_sent() {
    for (variables, expected) in [
        (
            &[("SHOP_API_KEY", "k"), ("SHOP_QUERY", "a b")][..],
            "GET /v1/things?q=a%20b HTTP/1.1\r\nx-key: k",
        ),
        (
            &[("SHOP_BASIC", "ada:a:b")],
            "GET /v1/things HTTP/1.1\r\nauthorization: Basic YWRhOmE6Yg==",
        ),
        (
            &[("SHOP_SELF", "t")],
            "GET /v1/things HTTP/1.1\r\nauthorization: Bearer t",
        ),
        (
            &[("SHOP_COOKIE", "c")],
            "GET /v1/things HTTP/1.1\r\ncookie: sid=c",
        ),
        (
            &[("SHOP_TIMEOUT", "o")],
            "GET /v1/things HTTP/1.1\r\nauthorization: Bearer o",
        ),
    ] {
        let server = Server::start(&[&response(
            "200 OK\r\ncontent-type: application/json",
            "\"\"",
        )]);
        let output = run(
            "list",
            &[&[("SHOP_URL", &*server.url())], variables].concat(),
        );
        assert_eq!(
            text(&output.stdout),
            "ok, waited 0ns\n",
            "{}",
            text(&output.stderr)
        );
        let request = server.stop().concat();
        for line in expected.lines() {
            assert!(
                request.contains(&format!("{line}\r\n")),
                "{line}\n{request}"
            );
        }
    }
}

fn requests_are_sent_again_if_that_is_safe() {
    let ok = &*response("200 OK\r\ncontent-type: application/json", "\"\"");
    let done = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    let later = &*response("503 Service Unavailable\r\nretry-after: 7", "");
    let limited = &*response("429 Too Many Requests\r\nretry-after: 5", "");
    for (action, responses, expected, reason) in [
        (
            "list",
            &[later, limited, ok][..],
            "ok, waited 12s\n",
            "as long as the service asks for",
        ),
        (
            "add",
            &["", later, done],
            "ok, waited ",
            "the key makes it safe after a lost connection",
        ),
        (
            "upload-stream",
            &[limited],
            "unexpected response 429",
            "a stream cannot be sent again",
        ),
    ] {
        let (printed, requests) = call(action, responses);
        assert!(
            printed.starts_with(expected),
            "{action}, {reason}: {printed}"
        );
        assert_eq!(requests.len(), responses.len(), "{action}, {reason}");
        // One key for all attempts, of operations that take one.
        let keys = keys(&requests);
        match action {
            "add" => assert!(keys.len() == 3 && keys[0].len() == 36, "{keys:?}"),
            _ => assert!(keys.is_empty(), "{action}: {keys:?}"),
        }
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
    }
    let (_, requests) = call("add-by-key", &["", done]);
    assert_eq!(keys(&requests), ["mine", "mine"]);
}
