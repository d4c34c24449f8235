//! Calls that get no response: what is not retried, what only for a while, and what is reported.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use petstore_client::{Client, RequestError, RetryPolicy, types};
use reqwest::dns::{Name, Resolve, Resolving};
use tokio::net::TcpSocket;

use crate::scripted_server::Step;
use crate::test_clock::TestClock;
use crate::{BUSY, OK, RATE_LIMITED, scripted};

/// A resolver that fails with this reason of the system.
struct NoSuchName(&'static str);

impl Resolve for NoSuchName {
    fn resolve(&self, _: Name) -> Resolving {
        let error = format!("failed to lookup address information: {}", self.0);
        Box::pin(std::future::ready(Err(error.into())))
    }
}

/// A client of `http://pets.test` that sends by this HTTP client.
fn client_by(http: reqwest::Client) -> Client {
    let client = Client::builder()
        .base_url("http://pets.test")
        .api_key("pst_key");
    client.http_client(http).build().unwrap()
}

/// An address that no other process can get and that nobody listens on, as long as the socket exists.
fn silent_address() -> (TcpSocket, SocketAddr) {
    let silent = TcpSocket::new_v4().unwrap();
    silent.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = silent.local_addr().unwrap();
    (silent, address)
}

/// The message of a call that is not retried.
async fn message_of_lasting_problem(client: Client) -> String {
    let clock = TestClock::default();
    let sent = client.with_clock(clock.clone()).list_pets().send().await;
    let Err(RequestError::InvalidRequest(message)) = sent else {
        panic!("{sent:?}");
    };
    assert_eq!(clock.delays(), [], "{message}");
    message
}

#[tokio::test]
async fn unknown_host_fails_at_once() {
    for reason in ["Name or service not known", "Name does not resolve"] {
        let http = reqwest::Client::builder().dns_resolver(Arc::new(NoSuchName(reason)));
        let http = http.no_proxy().build().unwrap();
        let client = client_by(http);
        let message = message_of_lasting_problem(client).await;
        let expected = format!(
            "the host `pets.test` is unknown: failed to lookup address information: {reason}; check the base URL"
        );
        assert_eq!(message, expected);
    }
}

#[tokio::test]
async fn response_that_is_not_http_fails_at_once() {
    // What a TLS server answers to plain HTTP: the alert `unexpected_message`.
    let alert = "\u{15}\u{3}\u{3}\0\u{2}\u{2}\n";
    for answer in [alert, "220 mail.example.com\r\n\r\n"] {
        let (client, service, _clock) = scripted(&[Step::RawBytes(answer), OK]).await;
        let message = message_of_lasting_problem(client).await;
        let url = service.url();
        assert!(
            message.starts_with(&format!("{url} does not answer in HTTP ")),
            "{message}"
        );
        assert!(
            message.ends_with("begin the base URL with https://"),
            "{message}"
        );
        assert_eq!(service.requests().len(), 1);
    }
}

#[tokio::test]
async fn refused_connection_is_retried_for_ten_seconds_and_any_request() {
    let (_silent, address) = silent_address();
    let clock = TestClock::default();
    let client = Client::connect(&format!("http://{address}"), "pst_key")
        .unwrap()
        .with_clock(clock.clone())
        .with_retries(RetryPolicy {
            max_attempts: 100,
            ..RetryPolicy::default()
        });

    let body = types::Order::default();
    let sent = client.update_order().order_id(1).body(body).send().await;

    let Err(RequestError::Custom(message)) = sent else {
        panic!("{sent:?}");
    };
    let delays = clock.delays();
    let waited: Duration = delays.iter().sum();
    assert!(waited < Duration::from_secs(10), "{waited:?}");
    assert!(
        delays.len() >= 4,
        "a delay at its maximum ends before: {delays:?}"
    );
    let expected = format!(
        "cannot connect to http://{address}: Connection refused (os error 111); tried {} times in {:.1} seconds; \
         check the base URL, and that the service runs",
        delays.len() + 1,
        waited.as_secs_f32(),
    );
    assert_eq!(message, expected);
}

#[tokio::test]
async fn lost_change_that_cannot_be_repeated_may_have_been_performed() {
    let (client, service, _clock) = scripted(&[Step::CloseConnection]).await;
    let body = types::Order::default();
    let sent = client.update_order().order_id(1).body(body).send().await;
    let Err(RequestError::Custom(message)) = sent else {
        panic!("{sent:?}");
    };
    let url = service.url();
    assert_eq!(
        message,
        format!(
            "no response from {url}: connection closed before message completed; tried once, for 0.0 seconds; \
             the service may have performed the request: check before you repeat it"
        )
    );
}

#[tokio::test]
async fn observer_sees_each_wait() {
    let (client, _service, clock) =
        scripted(&[BUSY, Step::CloseConnection, RATE_LIMITED, OK]).await;
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let client = client.with_observer(move |event| log.lock().unwrap().push(event.clone()));

    client.list_pets().send().await.unwrap();

    let events = events.lock().unwrap();
    let seen: Vec<_> = events
        .iter()
        .map(|event| (event.attempts, event.reason.as_str()))
        .collect();
    let expected = [
        (1, "503 unavailable"),
        (2, "connection closed before message completed"),
        (3, "429 rate_limit_exceeded"),
    ];
    assert_eq!(seen, expected);
    assert!(events.iter().all(|event| event.operation == "list_pets"));
    let delays: Vec<_> = events.iter().map(|event| event.delay).collect();
    assert_eq!(delays, clock.delays());
}
