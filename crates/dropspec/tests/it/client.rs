//! The generated client as its users have it: settings from environment variables, retries, and names that collide.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;

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
use spec_client::futures::future::BoxFuture;

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
        other => panic!("{other}"),
    };
    match result {
        Ok(()) => println!("ok, waited {:?}", clock.elapsed()),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
"##;

const OK: &str = "200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n\"\"";
const DONE: &str = "204 No Content\r\n\r\n";
const LATER: &str = "503 Service Unavailable\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n";
const LIMITED: &str = "429 Too Many Requests\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n";

fn run(action: &str, variables: &[(&str, &str)]) -> Output {
    let mut call = Command::new(target().join("debug/examples/shop-call"));
    call.arg(action).env_clear();
    call.envs(variables.iter().copied()).output().unwrap()
}

/// Runs an action with credentials, against a server that gives each connection one of these responses; an empty one ends
/// the connection. Returns what was printed, and the heads of the requests.
fn call(action: &str, credentials: &[(&str, &str)], responses: &[&str]) -> (String, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1/", listener.local_addr().unwrap());
    let variables = [&[("SHOP_URL", url.as_str())], credentials].concat();
    thread::scope(|scope| {
        let server = scope.spawn(|| {
            let answer = |response: &&str| {
                let (mut connection, _) = listener.accept().unwrap();
                let mut head = String::new();
                let mut reader = BufReader::new(&connection);
                while !head.ends_with("\r\n\r\n") {
                    reader.read_line(&mut head).unwrap();
                }
                if !response.is_empty() {
                    let response = response.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                    write!(connection, "HTTP/1.1 {response}").unwrap();
                }
                head
            };
            responses.iter().map(answer).collect::<Vec<_>>()
        });
        let output = run(action, &variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), server.join().unwrap())
    })
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

    let basic = [("SHOP_BASIC", "ada:secret")];
    let (printed, _) = call("list", &basic, &[LATER, LIMITED, OK]);
    assert_eq!(
        printed, "ok, waited 12s\n",
        "as long as the service asks for"
    );
    // One key for all attempts makes it safe.
    let (printed, requests) = call("add", &basic, &["", LATER, DONE]);
    assert!(printed.starts_with("ok, waited "), "{printed}");
    let keys = requests.iter().flat_map(|request| request.lines());
    let keys = keys.filter_map(|line| line.strip_prefix("idempotency-key: "));
    let keys: Vec<&str> = keys.collect();
    assert!(keys.len() == 3 && keys[0].len() == 36, "{keys:?}");
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

fn wrong_settings_are_named() {
    let url = ("SHOP_URL", "http://127.0.0.1:9");
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[], "there is no base URL: set SHOP_URL to the address"),
        (
            &[url],
            "there are no credentials: set SHOP_API_KEY (the key in the header `X-Key`) and SHOP_QUERY (the key in the query \
             parameter `q`), or SHOP_BASIC (user and password, as USER:PASSWORD), or SHOP_SELF (the token in \
             `Authorization: Bearer …`), or SHOP_COOKIE (the key in the cookie `sid`), or SHOP_TIMEOUT (the token in",
        ),
        (
            &[url, ("SHOP_BASIC", "ada")],
            "SHOP_BASIC has no colon: it is user and password",
        ),
    ];
    for (variables, expected) in cases {
        let error = text(&run("list", variables).stderr);
        assert!(error.contains(expected), "{expected}\n{error}");
    }
}

fn credentials_of_the_first_complete_alternative_are_sent() {
    let pair = [("SHOP_API_KEY", "k"), ("SHOP_QUERY", "a b")];
    for (variables, expected) in [
        (&pair[..], "GET /v1/things?q=a%20b HTTP/1.1\r\nx-key: k\r\n"),
        (&[("SHOP_SELF", "t")], "authorization: Bearer t\r\n"),
        (&[("SHOP_COOKIE", "c")], "cookie: sid=c\r\n"),
    ] {
        let (printed, requests) = call("list", variables, &[OK]);
        assert_eq!(printed, "ok, waited 0ns\n");
        for line in expected.lines() {
            assert!(requests[0].contains(line), "{line}\n{}", requests[0]);
        }
    }
}
