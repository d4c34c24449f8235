//! What the client does by itself, against a service that follows a script.
#![allow(clippy::unwrap_used, missing_docs)]

mod crowd;
mod dependencies;
mod keys;
mod mock;
mod odd_answers;
mod pages;
mod patience;
mod pauses;
mod readme;
mod service;
mod timeless;

use std::time::Duration;

use petstore_client::{Client, RetryPolicy};
use service::{Service, Step};
use timeless::Timeless;

const PETS: &str = r#"[{"id": 1, "name": "Mittens", "categoryId": 1, "status": "available"}]"#;
const PET: &str = r#"{"id": 1, "name": "Mittens", "categoryId": 1, "status": "available"}"#;
const ORDER: &str = r#"{"id": 1, "petId": 1, "quantity": 1, "complete": false}"#;
const UNAVAILABLE: &str = r#"{"status": 503, "code": "unavailable", "message": "busy"}"#;
const EXCEEDED: &str = r#"{"status": 429, "code": "rate_limit_exceeded", "message": "slow down"}"#;
const BANNED: &str = r#"{"status": 429, "code": "api_key_banned", "message": "stay away"}"#;
const GONE: &str = r#"{"status": 404, "code": "pet_not_found", "message": "no such pet"}"#;

const OK: Step = Step::Answer(200, &[], PETS);
const CUT_IN_BODY: Step = Step::Raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{");
const BUSY: Step = Step::Answer(503, &[], UNAVAILABLE);
const TIRED: Step = Step::Answer(429, &["retry-after: 20"], EXCEEDED);

/// A client for a scripted service, and the clock that it waits by.
async fn scripted(script: &[Step]) -> (Client, Service, Timeless) {
    let service = Service::start(script).await;
    let clock = Timeless::default();
    let client = Client::new(&service.url(), "pst_key").with_clock(clock.clone());
    (client, service, clock)
}

fn with_deadline(seconds: u64) -> RetryPolicy {
    RetryPolicy {
        deadline: Duration::from_secs(seconds),
        ..RetryPolicy::default()
    }
}
