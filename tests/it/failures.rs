//! What clients see when something breaks behind the gate, or they themselves break off.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};
use petstore_client::Error;
use petstore_client::types::NewCategory;
use petstore_server::clock::Clock;
use rusqlite::Connection;
use test_support::{TestApp, wire};

#[tokio::test]
async fn a_failure_is_told_without_its_details() {
    let app = TestApp::start().await;
    app.pet("Mittens").await;
    let other = Connection::open(app.database()).unwrap();
    other
        .execute_batch("ALTER TABLE pets RENAME TO secret_pets")
        .unwrap();
    let expected = "500 internal_error: an internal error occurred; the log of the server holds the details under \
                    this X-Request-Id";
    assert_eq!(app.get("/pets").await.error(), expected);
    let body = r#"{"name": "Rex", "categoryId": 1}"#;
    let write = app.send_text(Method::POST, "/pets", body).await;
    assert_eq!(write.error(), expected);

    other
        .execute_batch("ALTER TABLE secret_pets RENAME TO pets")
        .unwrap();
    assert_eq!(app.get("/pets").await.status, 200, "mended");
    let write = app.send_text(Method::POST, "/pets", body).await;
    assert_eq!(write.status, 201, "mended");
}

/// A clock that breaks when it is read once too often: a defect like any other, without a hook in the server.
#[derive(Debug, Default)]
struct FragileClock {
    /// How many readings are left; none are counted at first.
    left: Mutex<Option<u32>>,
}

impl FragileClock {
    fn breaks_after(&self, readings: u32) {
        *self.left.lock().unwrap() = Some(readings);
    }
}

impl Clock for FragileClock {
    fn now(&self) -> DateTime<Utc> {
        let left = { self.left.lock().unwrap().take() };
        match left {
            None => {}
            Some(0) => panic!("the secret reason"),
            Some(left) => self.breaks_after(left - 1),
        }
        DateTime::UNIX_EPOCH
    }
}

#[tokio::test]
async fn a_handler_that_panics_answers_all_the_same() {
    let clock = Arc::new(FragileClock::default());
    let app = TestApp::start_with(|config| config.clock = Arc::clone(&clock) as _).await;
    // The gate reads the time, and after it the operation, if it is to keep an idempotency key.
    clock.breaks_after(1);
    let create = || {
        let body = NewCategory::builder().name("Cat");
        app.client.create_category().body(body)
    };
    let panicked = create().idempotency_key("asks-for-the-time").send();
    let Err(Error::ErrorResponse(error)) = panicked.await else {
        panic!("the broken clock was not asked");
    };
    assert_eq!((error.status, error.code.as_str()), (500, "internal_error"));
    assert!(!error.message.contains("secret"), "{}", error.message);

    let created = create().send().await.unwrap();
    assert_eq!(created.id, 1, "nothing was created, and the server lives");
}

#[tokio::test]
async fn a_write_that_finds_the_database_locked_may_be_tried_again() {
    let app = TestApp::start_with(|config| {
        config.store.busy_timeout = Duration::from_millis(1);
    })
    .await;
    // From now on the owner's key has requests leased that it can spend without the database.
    assert_eq!(app.get("/categories").await.status, 200);
    let other = Connection::open(app.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let body = r#"{"name": "Cat"}"#;
    let answer = app.send_text(Method::POST, "/categories", body).await;
    assert_eq!(
        answer.error(),
        "503 unavailable: the service cannot answer now; try again later"
    );
    assert_eq!(answer.header("Retry-After"), Some("1"));
    assert_eq!(app.get("/categories").await.status, 200, "reads go on");

    other.execute_batch("ROLLBACK").unwrap();
    let answer = app.send_text(Method::POST, "/categories", body).await;
    assert_eq!(answer.status, 201, "nothing of the first try was kept");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let app = TestApp::start_with(|config| {
        config.body_timeout = Duration::from_millis(20);
    })
    .await;
    let request = Request::builder()
        .method(Method::POST)
        .uri("/categories")
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, 100);
    let request = request.body(wire::halfway(r#"{"name": "#)).unwrap();
    let answer = app.send(request).await;
    assert_eq!(
        answer.error(),
        "408 request_timeout: the body was not received within 0.02 seconds"
    );
    assert!(
        app.client
            .list_categories()
            .send()
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_body_that_breaks_off_creates_nothing() {
    let app = TestApp::start().await;
    let head = "POST /categories HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    let cut_short = [
        format!("{head}content-length: 100\r\n\r\n{{\"name\": \"Cat\"}}"),
        format!("{head}transfer-encoding: chunked\r\n\r\nf\r\n{{\"name\": \"Cat\"}}\r\n"),
        format!("{head}transfer-encoding: chunked\r\n\r\nnonsense"),
    ];
    for request in cut_short {
        // Whether an answer still gets out depends on who closes first.
        let answer = wire::exchange_text(app.address(), &request).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
    assert!(
        app.client
            .list_categories()
            .send()
            .await
            .unwrap()
            .is_empty()
    );
}
