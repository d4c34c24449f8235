//! Keys over HTTP: which are valid, until when, and what their secrets share.

use chrono::{TimeDelta, Utc};
use http::{Method, Request};
use petstore_api::Plan;
use petstore_client::types::{NewCategory, Order};
use petstore_server::auth::{ApiKey, Terms};
use petstore_server::clock::Clock;
use test_support::{Answer, Caller, TestApp, TestKey, refusal, wire};

#[tokio::test]
async fn the_header_holds_one_key_and_nothing_else() {
    let app = TestApp::start().await;
    let key = app.free_key().await;
    let text = key.text();
    let rows = [
        (vec![text.to_owned()], "200", "the key"),
        (
            vec![format!("  {text} ")],
            "200",
            "space around a header is none of it",
        ),
        (vec![], "401 missing_api_key", "none"),
        (vec![String::new()], "401 invalid_api_key", "an empty one"),
        (
            vec![format!("{text}, {text}")],
            "401 invalid_api_key",
            "a list",
        ),
        (
            vec![format!("\"{text}\"")],
            "401 invalid_api_key",
            "in quotes",
        ),
        (vec![text.to_owned(); 2], "401 invalid_api_key", "twice"),
        (
            vec![format!("Bearer {text}")],
            "401 invalid_api_key",
            "a scheme",
        ),
        (
            vec![text.to_lowercase() + "x"],
            "401 invalid_api_key",
            "too long",
        ),
        (
            vec![text[..39].to_owned()],
            "401 invalid_api_key",
            "too short",
        ),
        (
            vec![ApiKey::generate().unwrap().expose().to_owned()],
            "401 invalid_api_key",
            "somebody else's",
        ),
    ];
    for (shown, expected, reason) in rows {
        let mut caller = app.anonymous();
        for value in shown {
            caller = caller.showing("X-API-Key", &value);
        }
        assert_eq!(caller.get("/pets").await.outcome(), expected, "{reason}");
    }
    let elsewhere = [
        app.anonymous()
            .showing("Authorization", &format!("ApiKey {text}")),
        app.anonymous()
            .showing("Cookie", &format!("X-API-Key={text}")),
    ];
    for caller in elsewhere {
        let answer = caller.get("/pets").await;
        assert_eq!(answer.outcome(), "401 missing_api_key");
    }
}

#[tokio::test]
async fn a_challenge_names_the_header() {
    let app = TestApp::start().await;
    let answer = app.anonymous().get("/pets").await;
    let challenge = answer.header("WWW-Authenticate");
    assert_eq!(challenge, Some("ApiKey header=\"X-API-Key\""));
    assert_eq!(
        answer.error(),
        "401 missing_api_key: send your API key in the X-API-Key header"
    );
}

#[tokio::test]
async fn what_the_operator_changes_holds_from_the_next_request_on() {
    let app = TestApp::start().await;
    let key = app.free_key().await;
    let caller = app.caller(&key);
    assert_eq!(caller.get("/pets").await.standing().0, 60);
    let pro = Terms::new(Plan::Pro, None).unwrap();
    app.store().set_key_terms(key.id, pro).await.unwrap();
    let (limit, left, _) = caller.get("/pets").await.standing();
    assert_eq!((limit, left), (300, 298), "what was used counts on");
    app.store().revoke_key(key.id, Utc::now()).await.unwrap();
    assert_eq!(caller.get("/pets").await.outcome(), "401 revoked_api_key");
}

/// Gives a key another secret.
async fn rotated(app: &TestApp, key: &TestKey, overlap: TimeDelta) -> TestKey {
    let secret = ApiKey::generate().unwrap();
    let now = app.clock.now();
    let rotate = app.store().rotate_key(key.id, &secret, now + overlap, now);
    rotate.await.unwrap();
    TestKey { id: key.id, secret }
}

#[tokio::test]
async fn while_they_overlap_both_secrets_are_one_key() {
    let app = TestApp::start().await;
    let old = app.free_key().await;
    let new = rotated(&app, &old, TimeDelta::hours(1)).await;
    let (old, new) = (app.caller(&old), app.caller(&new));
    for (nth, caller) in [&old, &new, &old, &new].into_iter().enumerate() {
        let left = caller.get("/pets").await.standing().1;
        assert_eq!(left, 59 - nth as i64);
    }
    app.clock
        .advance(TimeDelta::hours(1) - TimeDelta::seconds(1));
    assert_eq!(old.get("/pets").await.outcome(), "200");
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(old.get("/pets").await.outcome(), "401 revoked_api_key");
    assert_eq!(new.get("/pets").await.outcome(), "200");
}

async fn create(caller: &Caller<'_>, name: &str) -> Answer {
    let request = Request::builder()
        .method(Method::POST)
        .uri("/categories")
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", "once");
    let body = format!(r#"{{"name": "{name}"}}"#);
    caller.send(request.body(wire::whole(body)).unwrap()).await
}

#[tokio::test]
async fn an_idempotency_key_belongs_to_the_api_key_and_not_to_its_secret() {
    let app = TestApp::start().await;
    let (one, other) = (app.free_key().await, app.free_key().await);
    let first = create(&app.caller(&one), "Cat").await;
    let second = create(&app.caller(&other), "Dog").await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 201));
    assert_ne!(first.header("Location"), second.header("Location"));
    for answer in [&first, &second] {
        assert_eq!(answer.header("Idempotency-Replayed"), None);
    }

    let renewed = rotated(&app, &one, TimeDelta::hours(1)).await;
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

#[tokio::test]
async fn two_keys_with_one_idempotency_key_place_two_orders() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 5).await;
    let mut orders = Vec::new();
    for _ in 0..2 {
        let client = app.client_of(&app.free_key().await);
        let place = client.place_order().body(Order::builder().pet_id(pet));
        let placed = place.idempotency_key("once").send().await.unwrap();
        orders.push(placed.id);
    }
    assert_ne!(orders[0], orders[1]);
    assert_eq!(app.stock_of(pet).await.0, 3);
}

#[tokio::test]
async fn a_refusal_reaches_the_generated_client_as_its_error() {
    let app = TestApp::start().await;
    let client = app.client_of(&app.read_key().await);
    let body = NewCategory::builder().name("Cat");
    let create = client.create_category().body(body);
    assert_eq!(refusal(create.send().await), "403 insufficient_access");
    let client = app.client_of(&app.key_for(1, 1).await);
    client.list_pets().send().await.unwrap();
    assert_eq!(
        refusal(client.list_pets().send().await),
        "429 rate_limit_exceeded"
    );
}
