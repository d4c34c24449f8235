//! `Idempotency-Key` over HTTP. How long a response is stored, and of which requests, is tested with the engine.

use chrono::TimeDelta;
use http::{Method, Request};
use petstore_client::types::NewCategory;
use serde_json::Value;
use test_support::{Response, TestApp, error_code, raw_http};

/// Sends a POST with the idempotency key `key`.
async fn post(app: &TestApp, target: &str, body: &str) -> Response {
    let request = Request::builder()
        .method(Method::POST)
        .uri(target)
        .header("content-type", "application/json")
        .header("idempotency-key", "key");
    let body = raw_http::full_body(body.to_owned());
    app.send(request.body(body).unwrap()).await
}

fn is_replayed(response: &Response) -> bool {
    response.header("Idempotency-Replayed") == Some("true")
}

#[tokio::test]
async fn repeated_request_returns_the_first_response_and_creates_nothing() {
    let app = TestApp::start().await;
    // The same key for three operations: each operation has its own keys.
    for (target, body) in [
        ("/categories", r#"{"name": "Cat"}"#),
        ("/pets", r#"{"name": "Mittens", "categoryId": 1}"#),
        ("/store/orders", r#"{"petId": 1}"#),
    ] {
        let first = post(&app, target, body).await;
        assert_eq!(
            (first.status, is_replayed(&first)),
            (201, false),
            "{target}"
        );
        let stored = app.get(first.header("Location").unwrap()).await;
        assert_eq!(first.header("ETag"), stored.header("ETag"), "{target}");
        if target == "/store/orders" {
            // The response stays the first one, though the order changes.
            app.complete_order(1).await;
        }
        let again = post(&app, target, body).await;
        assert_eq!((again.status, is_replayed(&again)), (201, true), "{target}");
        for name in ["Location", "ETag"] {
            assert_eq!(again.header(name), first.header(name), "{target}");
        }
        assert_eq!(again.body, first.body);
        let records: Vec<Value> = app.get(target).await.json();
        assert_eq!(records.len(), 1, "{target}");
    }
}

#[tokio::test]
async fn bodies_with_the_same_json_are_the_same_request() {
    let app = TestApp::start().await;
    app.create_pet_with_stock("Mittens", 5).await;
    for (body, outcome, replayed) in [
        (r#"{"petId":1,"quantity":2}"#, "201", false),
        (r#"{ "quantity" : 2, "petId" : 1 }"#, "201", true),
        (
            r#"{"petId":1,"quantity":3}"#,
            "422 idempotency_key_reused",
            false,
        ),
        (r#"{"petId":1}"#, "422 idempotency_key_reused", false),
    ] {
        let response = post(&app, "/store/orders", body).await;
        let seen = (response.outcome(), is_replayed(&response));
        assert_eq!(seen, (outcome.to_owned(), replayed), "{body}");
    }
}

#[tokio::test]
async fn idempotency_key_must_be_1_to_255_visible_ascii_characters() {
    let app = TestApp::start().await;
    let create = |key: &str, name: &str| {
        let body = NewCategory::builder().name(name);
        let create = app.client.create_category().body(body);
        create.idempotency_key(key).send()
    };
    let longest = "~".repeat(255);
    assert_eq!(create(&longest, "Cat").await.unwrap().status(), 201);
    for key in ["", "a b", "a\tb", &"~".repeat(256)] {
        let error = error_code(create(key, "Dog").await);
        assert_eq!(error, "400 invalid_parameter", "{key:?}");
    }
}

#[tokio::test]
async fn response_is_replayed_for_24_hours_that_pass_whatever_the_clock_says() {
    let app = TestApp::start().await;
    let cat = r#"{"name": "Cat"}"#;
    assert!(!is_replayed(&post(&app, "/categories", cat).await));
    for hours in [25, -26, 1, 24] {
        app.clock.step(TimeDelta::hours(hours));
        let again = post(&app, "/categories", cat).await;
        assert!(is_replayed(&again), "{hours}: {}", again.outcome());
        // A write deletes what has expired.
        app.create_category(&format!("set by {hours}")).await;
    }
}
