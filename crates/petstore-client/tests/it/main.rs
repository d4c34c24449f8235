//! The client against a server that follows a script.
#![allow(clippy::unwrap_used, missing_docs)]

mod broken_responses;
mod no_response;
mod pages;
mod readme;
mod request_headers;
mod retries;
mod scripted_server;
mod settings;
mod shared_backoff;
mod test_clock;

use std::time::Duration;

use petstore_client::{Client, RetryPolicy};
use scripted_server::{ScriptedServer, Step};
use test_clock::TestClock;

const PETS: &str = r#"[{"id": 1, "name": "Mittens", "categoryId": 1, "status": "available"}]"#;
const PET: &str = r#"{"id": 1, "name": "Mittens", "categoryId": 1, "status": "available"}"#;
const ORDER: &str = r#"{"id": 1, "petId": 1, "quantity": 1, "complete": false}"#;
const UNAVAILABLE: &str = r#"{"status": 503, "code": "unavailable", "message": "busy"}"#;
const RATE_LIMIT_EXCEEDED: &str =
    r#"{"status": 429, "code": "rate_limit_exceeded", "message": "slow down"}"#;
const BANNED: &str = r#"{"status": 429, "code": "api_key_banned", "message": "stay away"}"#;
const CHANGED: &str =
    r#"{"status": 412, "code": "precondition_failed", "message": "read it again"}"#;
const NOT_FOUND: &str = r#"{"status": 404, "code": "pet_not_found", "message": "no such pet"}"#;

const OK: Step = Step::Respond(200, &[], PETS);
const CUT_IN_BODY: Step = Step::RawBytes("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{");
const BUSY: Step = Step::Respond(503, &[], UNAVAILABLE);
const RATE_LIMITED: Step = Step::Respond(429, &["retry-after: 20"], RATE_LIMIT_EXCEEDED);

/// A client for a scripted server, the server, and the clock of the client.
async fn scripted(script: &[Step]) -> (Client, ScriptedServer, TestClock) {
    let service = ScriptedServer::start(script);
    let clock = TestClock::default();
    let client = Client::connect(&service.url(), "pst_key")
        .unwrap()
        .with_clock(clock.clone());
    (client, service, clock)
}

fn with_deadline(seconds: u64) -> RetryPolicy {
    RetryPolicy {
        deadline: Duration::from_secs(seconds),
        ..RetryPolicy::default()
    }
}
