//! API keys over HTTP: which are valid, until when, and what the secrets of a key share.

use chrono::TimeDelta;
use dropspec_gate::clock::Clock;
use http::{Method, Request};
use test_support::{Caller, Response, TestApp, TestKey, raw_http};

#[tokio::test]
async fn header_must_contain_exactly_one_valid_key() {
    let app = TestApp::start().await;
    let key = app.create_free_key().await;
    let text = key.text();
    let invalid = "401 invalid_api_key";
    let unknown = app.keys().generate_secret().unwrap();
    let rows = [
        (vec![text.to_owned()], "200", "the key"),
        (vec![], "401 missing_api_key", "none"),
        (vec![String::new()], "401 missing_api_key", "empty"),
        (vec![format!("{text}, {text}")], invalid, "a list"),
        (vec![text.to_owned(); 2], invalid, "two headers"),
        (vec![format!("Bearer {text}")], invalid, "with a scheme"),
        (vec![unknown.expose().to_owned()], invalid, "unknown"),
        (vec!["pst_\u{fc}".to_owned()], invalid, "not ASCII"),
    ];
    for (values, expected, reason) in rows {
        let mut caller = app.anonymous();
        for value in values {
            caller = caller.with_header("X-API-Key", &value);
        }
        assert_eq!(caller.get("/pets").await.outcome(), expected, "{reason}");
    }
    let anonymous = app.anonymous().get("/pets").await;
    let challenge = anonymous.header("WWW-Authenticate");
    assert_eq!(challenge, Some("ApiKey header=\"X-API-Key\""));
    assert_eq!(
        anonymous.error(),
        "401 missing_api_key: send your API key in the X-API-Key header"
    );
}

/// Rotates the secret of a key, and returns the key with the new one.
async fn rotate(app: &TestApp, key: &TestKey, overlap: TimeDelta) -> TestKey {
    let secret = app.keys().generate_secret().unwrap();
    let now = app.clock.now();
    let rotated = app.keys().rotate(key.id, &secret, now + overlap, now);
    rotated.await.unwrap();
    TestKey { id: key.id, secret }
}

#[tokio::test]
async fn old_and_new_secret_share_limits_until_the_overlap_ends() {
    let app = TestApp::start().await;
    let old = app.create_free_key().await;
    let new = rotate(&app, &old, TimeDelta::hours(1)).await;
    let (old, new) = (app.caller(&old), app.caller(&new));
    for (nth, caller) in [&old, &new, &old, &new].into_iter().enumerate() {
        let remaining = caller.get("/pets").await.rate_limit().1;
        assert_eq!(remaining, 59 - nth as i64);
    }
    app.clock.advance(TimeDelta::seconds(3599));
    assert_eq!(old.get("/pets").await.outcome(), "200");
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(
        old.get("/pets").await.error(),
        "401 revoked_api_key: this API key was replaced and has expired; use the new one"
    );
    assert_eq!(new.get("/pets").await.outcome(), "200");
}

async fn create(caller: &Caller<'_>, name: &str) -> Response {
    let request = Request::builder()
        .method(Method::POST)
        .uri("/categories")
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", "once");
    let body = format!(r#"{{"name": "{name}"}}"#);
    caller
        .send(request.body(raw_http::full_body(body)).unwrap())
        .await
}

#[tokio::test]
async fn idempotency_keys_belong_to_the_api_key_and_not_to_its_secret() {
    let app = TestApp::start().await;
    let (one, other) = (app.create_free_key().await, app.create_free_key().await);
    let first = create(&app.caller(&one), "Cat").await;
    let second = create(&app.caller(&other), "Dog").await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_ne!(first.header("Location"), second.header("Location"));
    for response in [&first, &second] {
        assert_eq!(response.header("Idempotency-Replayed"), None);
    }

    let renewed = rotate(&app, &one, TimeDelta::hours(1)).await;
    for secret in [&one, &renewed] {
        let again = create(&app.caller(secret), "Cat").await;
        assert_eq!(again.header("Idempotency-Replayed"), Some("true"));
        assert_eq!(again.body, first.body);
        let another = create(&app.caller(secret), "Fish").await;
        assert_eq!(another.outcome(), "422 idempotency_key_reused");
    }
    let categories = app.client.list_categories().send().await.unwrap();
    assert_eq!(categories.len(), 2);
}
