//! The span of a call, as a subscriber of `tracing` sees it. Alone in its process: what another thread calls first would
//! not be recorded.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use spec_client::{
    Call, Credentials, Error, Form, Operation, Outgoing, Parameter, Status, Transport, empty,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

struct Client(String);

impl Transport for Client {
    const VERSION: &'static str = "1.0.0";
    const CREDENTIAL_METHODS: &'static [&'static str] = &[];

    fn base_url(&self) -> &str {
        &self.0
    }

    fn credentials(&self) -> &Credentials {
        static NONE: std::sync::LazyLock<Credentials> =
            std::sync::LazyLock::new(Credentials::default);
        &NONE
    }

    async fn execute(
        &self,
        request: reqwest::Request,
        _: &Outgoing,
    ) -> Result<reqwest::Response, Error> {
        match request.url().path() {
            "/books" => {
                let answer = http::Response::builder().status(404);
                let answer = answer.header("x-request-id", "0198-7f").body("");
                Ok(answer.unwrap().into())
            }
            _ => Ok(reqwest::Client::new().execute(request).await?),
        }
    }
}

/// Collects the fields of the client's spans.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<BTreeMap<String, String>>>);

impl Visit for Recorder {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        self.0.lock().unwrap().insert(field.name().to_owned(), text);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("spec_client")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

static LIST: Operation = Operation::new("list_books", "GET", "/books")
    .parameters(&[Parameter::query("token")])
    .success(&[Form::empty(Status::Exact(204))]);
static GET: Operation =
    Operation::new("get_book", "GET", "/book").success(&[Form::empty(Status::Exact(204))]);

#[tokio::test]
async fn call_has_a_span_with_what_was_sent_and_answered() {
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());
    let client = Client("http://books.example".to_owned());
    let mut call = Call::new(&client, &LIST);
    call.set(0, Ok::<_, std::convert::Infallible>("secret"));
    call.send(empty, empty).await.unwrap_err();
    let expected = [
        ("operation", "list_books"),
        ("method", "GET"),
        ("host", "books.example"),
        ("path", "/books"),
        ("status", "404"),
        ("request_id", "0198-7f"),
    ];
    let expected = expected.map(|(field, value)| (field.to_owned(), value.to_owned()));
    let recorded = std::mem::take(&mut *recorder.0.lock().unwrap());
    assert_eq!(recorded, expected.into(), "and no query");

    // Nothing listens there.
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let client = Client(format!("http://{closed}"));
    Call::new(&client, &GET)
        .send(empty, empty)
        .await
        .unwrap_err();
    drop(guard);
    let recorded = recorder.0.lock().unwrap();
    assert_eq!(
        recorded.get("operation").map(String::as_str),
        Some("get_book")
    );
    assert!(recorded.contains_key("error"), "{recorded:?}");
    assert!(!recorded.contains_key("status"), "{recorded:?}");
}
