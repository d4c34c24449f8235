//! The span of a call, as a subscriber of `tracing` sees it. Alone in its process: what another thread calls first would
//! not be recorded.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use httpmock::MockServer;
use petstore_client::{Client, RetryPolicy};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Collects the fields of the client's spans and events.
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

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn call_has_span_with_operation_attempts_status_and_request_id() {
    let service = MockServer::start_async().await;
    service.mock(|_, then| {
        then.status(503)
            .header("x-request-id", "0198-7f")
            .json_body(json!({"status": 503, "code": "unavailable", "message": "busy"}));
    });
    let client = Client::connect(&service.base_url(), "pst_key")
        .unwrap()
        .with_retries(RetryPolicy {
            max_attempts: 2,
            first_delay: Duration::ZERO,
            ..RetryPolicy::default()
        });
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());

    client.list_pets().limit(3).send().await.unwrap_err();
    drop(guard);

    let recorded = recorder.0.lock().unwrap();
    let expected = [
        ("operation", "list_pets"),
        ("method", "GET"),
        ("path", "/pets"),
        ("attempts", "2"),
        ("status", "503"),
        ("request_id", "0198-7f"),
        ("reason", "503 unavailable"),
    ];
    for (field, value) in expected {
        let found = recorded.get(field).map(String::as_str);
        assert_eq!(found, Some(value), "{field}");
    }
    let all = format!("{recorded:?}");
    assert!(!all.contains("pst_key"), "the API key is not shown: {all}");
}
