//! Every answer says where its caller stands, and every request that passes authentication is charged, whatever
//! becomes of it: one sweep over all kinds of answers, in which each figure is known beforehand.

use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};
use petstore_api::Operation;
use petstore_server::auth::ApiKey;
use petstore_server::reference::Page;
use test_support::{Answer, Caller, TestApp, wire};

use crate::walk::stage;
use crate::walk::trouble::Trouble;

/// The free plan's requests a minute, which an address without a key has too.
const FREE: i64 = 60;

/// A caller with 60 requests a minute, and what is left of them.
struct Account<'a> {
    caller: Caller<'a>,
    left: i64,
    reset: i64,
}

impl<'a> Account<'a> {
    fn new(app: &TestApp, caller: Caller<'a>) -> Account<'a> {
        Account {
            caller,
            left: FREE,
            reset: app.clock.seconds() + 60,
        }
    }

    /// Sends a request that is charged.
    async fn spends(&mut self, method: Method, target: &str, expected: &str) -> Answer {
        let answer = self.caller.call(method.clone(), target).await;
        self.charged(&answer, &format!("{method} {target}"), expected);
        answer
    }

    /// Sends a request with a body that is charged.
    async fn posts(&mut self, target: &str, body: &str, expected: &str) {
        let answer = self.caller.send_text(Method::POST, target, body).await;
        self.charged(&answer, target, expected);
    }

    fn charged(&mut self, answer: &Answer, what: &str, expected: &str) {
        self.left -= 1;
        self.stands(answer, what, expected);
    }

    fn stands(&self, answer: &Answer, what: &str, expected: &str) {
        assert_eq!(answer.outcome(), expected, "{what}");
        let standing = (FREE, self.left, self.reset);
        assert_eq!(answer.standing(), standing, "{what}: {expected}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_success_of_every_operation_costs_what_the_document_says() {
    for operation in Operation::ALL {
        let app = TestApp::start().await;
        stage::set(&app).await;
        let info = operation.info();
        let caller = app.caller(&app.free_key().await);
        let (target, body) = stage::request(operation);
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let answer = match body {
            Some(body) => caller.send_text(method, target, body).await,
            None => caller.call(method, target).await,
        };
        assert!(answer.status.is_success(), "{}", info.operation_id);
        let left = FREE - i64::from(info.rate_limit_cost);
        let standing = (FREE, left, app.clock.seconds() + 60);
        assert_eq!(answer.standing(), standing, "{}", info.operation_id);
    }
}

#[tokio::test]
async fn every_answer_to_a_key_says_where_it_stands() {
    let app = TestApp::start_with(|config| {
        config.body_timeout = Duration::from_millis(300);
    })
    .await;
    stage::set(&app).await;
    let mut account = Account::new(&app, app.caller(&app.free_key().await));
    let (get, delete) = (Method::GET, Method::DELETE);

    account.spends(get.clone(), "/pets", "200").await;
    let rows = [
        (get.clone(), "/pets?limit=0", "400 invalid_parameter"),
        (get.clone(), "/nowhere", "404 route_not_found"),
        (get.clone(), "/pets/424242", "404 pet_not_found"),
        (get.clone(), "/openapi.json", "200"),
        (get.clone(), "/openapi.yaml", "200"),
        (delete.clone(), "/pets", "405 method_not_allowed"),
        (Method::TRACE, "/openapi.json", "405 method_not_allowed"),
        (delete.clone(), "/pets/1", "409 pet_has_open_orders"),
        (Method::POST, "/pets", "400 malformed_request"),
        (Method::HEAD, "/pets", "200"),
        (Method::HEAD, "/nowhere", "404"),
        (Method::HEAD, "/openapi.json", "200"),
        (Method::OPTIONS, "/pets", "204"),
        (Method::OPTIONS, "/nowhere", "404 route_not_found"),
        (Method::OPTIONS, "/rate-limit", "204"),
        (delete.clone(), "/rate-limit", "405 method_not_allowed"),
        (delete, "/pets/2", "204"),
    ];
    for (method, target, expected) in rows {
        account.spends(method, target, expected).await;
    }
    let bodies = [
        ("{", "400 malformed_request"),
        ("[]", "422 validation_failed"),
        (
            r#"{"name": "Ada", "categoryId": 424242}"#,
            "422 unknown_category",
        ),
        (r#"{"name": "Ada", "categoryId": 1}"#, "201"),
        (&" ".repeat(64 * 1024 + 1), "413 body_too_large"),
    ];
    for (body, expected) in bodies {
        account.posts("/pets", body, expected).await;
    }
    let request = Request::post("/pets").header(CONTENT_TYPE, "text/plain");
    let request = request.body(wire::whole("Mittens")).unwrap();
    let answer = account.caller.send(request).await;
    account.charged(&answer, "a text", "415 unsupported_media_type");

    let request = Request::post("/categories")
        .header(CONTENT_TYPE, "application/json")
        .header(CONTENT_LENGTH, 100);
    let request = request.body(wire::halfway("{")).unwrap();
    let answer = account.caller.send(request).await;
    account.charged(&answer, "half a body", "408 request_timeout");

    let answer = account.caller.get("/rate-limit").await;
    account.stands(&answer, "costs nothing", "200");
    let trouble = Trouble::TablesAreGone.begin(&app).await;
    account
        .spends(get.clone(), "/pets", "500 internal_error")
        .await;
    drop(trouble);

    while account.left > 0 {
        let last = account.left == 1;
        let answer = account.spends(get.clone(), "/openapi.json", "200").await;
        assert_eq!(answer.header("Retry-After"), None, "last: {last}");
    }
    for method in [get.clone(), Method::HEAD, Method::OPTIONS] {
        for target in ["/pets", "/nowhere", "/openapi.json"] {
            let answer = account.caller.call(method.clone(), target).await;
            let code = match method {
                Method::HEAD => "429",
                _ => "429 rate_limit_exceeded",
            };
            account.stands(&answer, target, code);
            assert_eq!(answer.number("Retry-After"), Some(60), "{target}");
        }
    }
}

#[tokio::test]
async fn every_page_says_where_its_reader_stands() {
    let app = TestApp::start().await;
    let mut keyed = Account::new(&app, app.caller(&app.free_key().await));
    let mut anonymous = Account::new(&app, app.anonymous());
    for page in Page::ALL {
        let expected = if page == Page::Root { "302" } else { "200" };
        for reader in [&mut keyed, &mut anonymous] {
            for method in [Method::GET, Method::HEAD] {
                reader.spends(method, page.path(), expected).await;
            }
        }
        keyed.spends(Method::OPTIONS, page.path(), "204").await;
        let refused = "405 method_not_allowed";
        keyed.spends(Method::POST, page.path(), refused).await;
    }
    for reader in [&mut keyed, &mut anonymous] {
        while reader.left > 0 {
            reader.spends(Method::GET, "/openapi.yaml", "200").await;
        }
        for page in Page::ALL {
            let answer = reader.caller.get(page.path()).await;
            reader.stands(&answer, page.path(), "429 rate_limit_exceeded");
            assert_eq!(answer.number("Retry-After"), Some(60), "{}", page.path());
        }
    }
}

#[tokio::test]
async fn a_key_that_may_not_is_charged_too() {
    let app = TestApp::start().await;
    let key = app.key(test_support::key::free(), read()).await;
    let mut account = Account::new(&app, app.caller(&key));
    account
        .spends(Method::DELETE, "/pets/1", "403 insufficient_access")
        .await;
    account
        .posts("/pets", "not even read", "403 insufficient_access")
        .await;
}

fn read() -> petstore_server::auth::Access {
    petstore_server::auth::Access::Read
}

#[tokio::test]
async fn every_answer_to_a_banned_key_says_when_the_ban_ends() {
    let app = TestApp::start().await;
    let key = app.key_for(1, 1000).await;
    let caller = app.caller(&key);
    for _ in 0..32 {
        caller.get("/pets").await;
    }
    let standing = (1, 0, app.clock.seconds() + 120);
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        for target in ["/pets", "/pets/1", "/nowhere", "/openapi.json"] {
            let answer = caller.call(method.clone(), target).await;
            assert_eq!(answer.status, 429, "{method} {target}");
            assert_eq!(answer.standing(), standing, "{method} {target}");
            assert_eq!(answer.number("Retry-After"), Some(120));
            if method == Method::GET {
                assert_eq!(answer.outcome(), "429 api_key_banned");
            }
        }
    }
    let answer = caller.get("/rate-limit").await;
    assert_eq!(
        (answer.outcome(), answer.standing()),
        ("200".into(), standing)
    );
}

#[tokio::test]
async fn every_answer_without_a_valid_key_says_where_the_address_stands() {
    let app = TestApp::start().await;
    let revoked = app.free_key().await;
    let now = chrono::Utc::now();
    app.store().revoke_key(revoked.id, now).await.unwrap();
    let unknown = ApiKey::generate().unwrap();
    let mut account = Account::new(&app, app.anonymous());
    let shown = [
        (None, "401 missing_api_key"),
        (Some(""), "401 invalid_api_key"),
        (Some("pst_nonsense"), "401 invalid_api_key"),
        (Some(unknown.expose()), "401 invalid_api_key"),
        (Some(revoked.text()), "401 revoked_api_key"),
    ];
    for (key, expected) in shown {
        account.caller = app.anonymous();
        if let Some(key) = key {
            account.caller = account.caller.showing("X-API-Key", key);
        }
        // Whatever it asks for: an operation, what there is not, even where nothing is charged to a key.
        for target in ["/pets", "/pets/0", "/nowhere", "/rate-limit"] {
            account.spends(Method::GET, target, expected).await;
        }
        account.spends(Method::HEAD, "/pets", "401").await;
        account.spends(Method::OPTIONS, "/pets", expected).await;
        account.spends(Method::DELETE, "/pets", expected).await;
        account.spends(Method::GET, "/openapi.json", "200").await;
        account.spends(Method::HEAD, "/openapi.json", "200").await;
        // The documents themselves are for anyone; what else there is to say of them is not.
        account
            .spends(Method::DELETE, "/openapi.json", expected)
            .await;
    }
    while account.left > 0 {
        account.spends(Method::GET, "/openapi.yaml", "200").await;
    }
    for target in ["/pets", "/nowhere", "/rate-limit", "/openapi.json"] {
        let answer = account.caller.get(target).await;
        account.stands(&answer, target, "429 rate_limit_exceeded");
        assert_eq!(answer.number("Retry-After"), Some(60), "{target}");
    }
}

#[tokio::test]
async fn an_answer_that_fails_for_the_store_says_it_too() {
    let app = TestApp::start_with(|config| Trouble::DatabaseIsTaken.prepare(config)).await;
    let mut account = Account::new(&app, app.caller(&app.free_key().await));
    account.spends(Method::GET, "/pets", "200").await;
    let newcomer = Account::new(&app, app.caller(&app.free_key().await));
    let trouble = Trouble::DatabaseIsTaken.begin(&app).await;
    // What is leased can be spent; then nothing more can be leased, and the figures stay.
    for _ in 0..5 {
        account.spends(Method::GET, "/pets", "200").await;
    }
    let answer = account.caller.get("/pets").await;
    account.stands(&answer, "nothing is leased", "503 unavailable");
    assert_eq!(answer.number("Retry-After"), Some(1));
    let answer = newcomer.caller.get("/pets").await;
    newcomer.stands(&answer, "never leased", "503 unavailable");
    drop(trouble);
    account.spends(Method::GET, "/pets", "200").await;
    assert_eq!(account.left, 53, "what was refused was not charged");

    let mut address = Account::new(&app, app.anonymous());
    let trouble = Trouble::KeysAreGone.begin(&app).await;
    let answer = account.caller.get("/pets").await;
    address.charged(
        &answer,
        "nobody knows whose key it is",
        "500 internal_error",
    );
    drop(trouble);
}
