//! Every response has the rate limit headers, and every authenticated request is charged, whatever its outcome. The
//! values of each response are known beforehand.

use chrono::TimeDelta;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use petstore_api::Operation;
use petstore_server::api::Petstore;
use service_program::plan_limits;
use spec_gate::auth::Access;
use spec_gate::clock::Clock;
use spec_gate::reference::Page;
use test_support::{Backend, Caller, Response, TestApp, raw_http};

use crate::declared_outcomes::sample_data;
use crate::declared_outcomes::store_fault::StoreFault;

/// The requests a minute of the free plan, and of an address without a key.
const LIMIT: i64 = 60;

/// A caller with [`LIMIT`] requests a minute, and how many of them remain.
struct Account<'a> {
    caller: Caller<'a>,
    remaining: i64,
    reset: i64,
}

impl<'a> Account<'a> {
    fn new(app: &TestApp, caller: Caller<'a>) -> Account<'a> {
        Account {
            caller,
            remaining: LIMIT,
            reset: app.clock.seconds() + 60,
        }
    }

    /// Sends a request, and expects that it is charged.
    async fn expect_charged(&mut self, method: Method, target: &str, expected: &str) -> Response {
        let response = self.caller.call(method.clone(), target).await;
        self.charge_and_check(&response, &format!("{method} {target}"), expected);
        response
    }

    /// Sends a POST with a body, and expects that it is charged.
    async fn expect_post_charged(&mut self, target: &str, body: &str, expected: &str) {
        let response = self.caller.send_text(Method::POST, target, body).await;
        self.charge_and_check(&response, target, expected);
    }

    fn charge_and_check(&mut self, response: &Response, what: &str, expected: &str) {
        self.remaining -= 1;
        self.check(response, what, expected);
    }

    fn check(&self, response: &Response, what: &str, expected: &str) {
        assert_eq!(response.outcome(), expected, "{what}");
        let rate_limit = (LIMIT, self.remaining, self.reset);
        assert_eq!(response.rate_limit(), rate_limit, "{what}: {expected}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_is_charged_the_cost_in_the_document() {
    for operation in Operation::ALL {
        let app = TestApp::start().await;
        sample_data::create(&app).await;
        let info = operation.info();
        let caller = app.caller(&app.create_free_key().await);
        let (target, body) = sample_data::request(operation);
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let response = match body {
            Some(body) => caller.send_text(method, &target, &body).await,
            None => caller.call(method, &target).await,
        };
        assert!(response.is_success(), "{}", info.operation_id);
        let remaining = LIMIT - i64::from(info.rate_limit_cost);
        let rate_limit = (LIMIT, remaining, app.clock.seconds() + 60);
        assert_eq!(response.rate_limit(), rate_limit, "{}", info.operation_id);
    }
}

#[tokio::test]
async fn every_response_to_a_key_has_the_limits_of_the_key() {
    let mut prepared = StoreFault::TablesDropped.prepare();
    let app = prepared.start_app(|_| {}).await;
    sample_data::create(&app).await;
    let mut account = Account::new(&app, app.caller(&app.create_free_key().await));
    let (get, delete) = (Method::GET, Method::DELETE);

    account.expect_charged(get.clone(), "/pets", "200").await;
    let rows = [
        (get.clone(), "/pets?limit=0", "400 invalid_parameter"),
        (get.clone(), "/nowhere", "404 route_not_found"),
        (get.clone(), "/pets/424242", "404 pet_not_found"),
        (delete.clone(), "/pets", "405 method_not_allowed"),
        (Method::TRACE, "/openapi.json", "405 method_not_allowed"),
        (delete.clone(), "/pets/1", "409 pet_has_open_orders"),
        (Method::POST, "/pets", "400 malformed_request"),
        (Method::HEAD, "/pets", "200"),
        (Method::HEAD, "/nowhere", "404"),
        (Method::OPTIONS, "/pets", "204"),
        (Method::OPTIONS, "/openapi.json", "204"),
        (Method::OPTIONS, "/nowhere", "404 route_not_found"),
        (Method::OPTIONS, "/rate-limit", "204"),
        (delete.clone(), "/rate-limit", "405 method_not_allowed"),
        (delete, "/pets/2", "204"),
    ];
    for (method, target, expected) in rows {
        account.expect_charged(method, target, expected).await;
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
        account.expect_post_charged("/pets", body, expected).await;
    }
    let request = Request::post("/pets").header(CONTENT_TYPE, "text/plain");
    let request = request.body(raw_http::full_body("Mittens")).unwrap();
    let response = account.caller.send(request).await;
    account.charge_and_check(&response, "a text", "415 unsupported_media_type");

    let response = account.caller.get("/rate-limit").await;
    account.check(&response, "costs nothing", "200");
    let fault = prepared.begin(&app);
    account
        .expect_charged(get.clone(), "/pets", "500 internal_error")
        .await;
    drop(fault);

    while account.remaining > 0 {
        let response = account
            .expect_charged(get.clone(), "/nowhere", "404 route_not_found")
            .await;
        assert_eq!(response.header("Retry-After"), None);
    }
    for method in [get.clone(), Method::HEAD, Method::OPTIONS] {
        for target in ["/pets", "/nowhere"] {
            let response = account.caller.call(method.clone(), target).await;
            let code = match method {
                Method::HEAD => "429",
                _ => "429 rate_limit_exceeded",
            };
            account.check(&response, target, code);
            assert_eq!(response.number("Retry-After"), Some(60), "{target}");
        }
    }
}

#[tokio::test]
async fn every_page_has_the_limits_of_the_address_for_pages() {
    let app = TestApp::start().await;
    let key = app.create_free_key().await;
    let mut keyed = Account::new(&app, app.caller(&key));
    let mut anonymous = Account::new(&app, app.anonymous());
    let mut reader = Account::new(&app, app.anonymous());
    for page in Page::ALL {
        let expected = if page == Page::Root { "302" } else { "200" };
        for method in [Method::GET, Method::HEAD] {
            for caller in [app.anonymous(), app.caller(&key)] {
                reader.caller = caller;
                let method = method.clone();
                reader.expect_charged(method, page.path(), expected).await;
            }
        }
        // Their other methods are requests like any other.
        keyed
            .expect_charged(Method::OPTIONS, page.path(), "204")
            .await;
        let (options, missing) = (Method::OPTIONS, "401 missing_api_key");
        anonymous
            .expect_charged(options, page.path(), missing)
            .await;
        let rejected = "405 method_not_allowed";
        keyed
            .expect_charged(Method::POST, page.path(), rejected)
            .await;
    }
    while reader.remaining > 0 {
        reader
            .expect_charged(Method::GET, "/openapi.yaml", "200")
            .await;
    }
    for page in Page::ALL {
        let response = reader.caller.get(page.path()).await;
        reader.check(&response, page.path(), "429 rate_limit_exceeded");
        assert_eq!(response.number("Retry-After"), Some(60), "{}", page.path());
    }
    keyed.expect_charged(Method::GET, "/pets", "200").await;
}

#[tokio::test]
async fn requests_without_the_required_access_are_charged() {
    let app = TestApp::start().await;
    let key = app
        .create_key(plan_limits::<Petstore>("free"), Access::Read)
        .await;
    let mut account = Account::new(&app, app.caller(&key));
    account
        .expect_charged(Method::DELETE, "/pets/1", "403 insufficient_access")
        .await;
    account
        .expect_post_charged("/pets", "unread", "403 insufficient_access")
        .await;
}

#[tokio::test]
async fn every_response_to_a_banned_key_has_the_end_of_the_ban() {
    let app = TestApp::start().await;
    let key = app.create_key_with_limits(1, 1000).await;
    let caller = app.caller(&key);
    for _ in 0..32 {
        caller.get("/pets").await;
    }
    let rate_limit = (1, 0, app.clock.seconds() + 120);
    for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
        for target in ["/pets", "/pets/1", "/nowhere"] {
            let response = caller.call(method.clone(), target).await;
            assert_eq!(response.status, 429, "{method} {target}");
            assert_eq!(response.rate_limit(), rate_limit, "{method} {target}");
            assert_eq!(response.number("Retry-After"), Some(120));
            if method == Method::GET {
                assert_eq!(response.outcome(), "429 api_key_banned");
            }
        }
    }
    let response = caller.get("/rate-limit").await;
    assert_eq!(
        (response.outcome(), response.rate_limit()),
        ("200".into(), rate_limit)
    );
}

#[tokio::test]
async fn every_response_without_a_valid_key_has_the_limits_of_the_address() {
    let app = TestApp::start().await;
    let revoked = app.create_free_key().await;
    let now = app.clock.now();
    app.keys().revoke(revoked.id, now).await.unwrap();
    let unknown = app.keys().generate_secret().unwrap();
    let mut account = Account::new(&app, app.anonymous());
    let shown = [
        (None, "401 missing_api_key"),
        (Some(""), "401 missing_api_key"),
        (Some("pst_nonsense"), "401 invalid_api_key"),
        (Some(unknown.expose()), "401 invalid_api_key"),
        (Some(revoked.text()), "401 revoked_api_key"),
    ];
    for (key, expected) in shown {
        account.caller = app.anonymous();
        if let Some(key) = key {
            account.caller = account.caller.with_header("X-API-Key", key);
        }
        let rows = [
            (Method::GET, "/pets", expected),
            (Method::GET, "/pets/0", expected),
            (Method::GET, "/nowhere", expected),
            (Method::GET, "/rate-limit", expected),
            (Method::HEAD, "/pets", "401"),
            (Method::OPTIONS, "/pets", expected),
            (Method::DELETE, "/pets", expected),
            // Pages need no key; their other methods do.
            (Method::DELETE, "/openapi.json", expected),
        ];
        for (method, target, expected) in rows {
            account.expect_charged(method, target, expected).await;
        }
    }
    while account.remaining > 0 {
        account
            .expect_charged(Method::GET, "/pets", "401 revoked_api_key")
            .await;
    }
    for target in ["/pets", "/nowhere", "/rate-limit"] {
        let response = account.caller.get(target).await;
        account.check(&response, target, "429 rate_limit_exceeded");
        assert_eq!(response.number("Retry-After"), Some(60), "{target}");
    }
}

#[tokio::test]
async fn responses_to_a_failing_store_have_the_last_known_limits() {
    let mut prepared = StoreFault::LedgerLocked.prepare();
    let app = prepared.start_app(|_| {}).await;
    // Servers that share a ledger give no credit.
    let credit = if Backend::chosen().is_file() { 6 } else { 0 };
    let mut account = Account::new(&app, app.caller(&app.create_free_key().await));
    account.expect_charged(Method::GET, "/pets", "200").await;
    let mut unused = Account::new(&app, app.caller(&app.create_free_key().await));
    let fault = prepared.begin(&app);
    // The lease and the credit can be spent; then no other lease can be had, and the values stay.
    for _ in 0..5 + credit {
        account.expect_charged(Method::GET, "/pets", "200").await;
    }
    let response = account.caller.get("/pets").await;
    account.check(&response, "without a lease", "503 unavailable");
    let error = "503 unavailable: the service cannot answer now; try again later";
    assert_eq!(response.error(), error);
    assert_eq!(response.number("Retry-After"), Some(1));
    for _ in 0..credit {
        unused.expect_charged(Method::GET, "/pets", "200").await;
    }
    let response = unused.caller.get("/pets").await;
    unused.check(&response, "credit is spent", "503 unavailable");
    drop(fault);
    // A ledger that failed is not called again in the same second.
    let response = account.caller.get("/pets").await;
    account.check(&response, "the same second", "503 unavailable");
    app.clock.advance(TimeDelta::seconds(1));
    account.expect_charged(Method::GET, "/pets", "200").await;
    assert_eq!(
        account.remaining,
        60 - 1 - 5 - credit - 1,
        "503 is not charged"
    );

    let mut address = Account::new(&app, app.anonymous());
    address.reset = account.reset;
    // A key that the server has not read yet.
    let unread = app.caller(&app.create_free_key().await);
    let _fault = StoreFault::SecretsDropped.begin(&app);
    let response = unread.get("/pets").await;
    address.charge_and_check(&response, "the key cannot be found", "500 internal_error");
}
