//! Every authenticated request is charged, whatever its outcome, and others are charged to their address. The values of each
//! response are known beforehand. What each operation costs, `declared_outcomes` checks; that all have the headers, the `ResponseChecker` checks.

use dropspec_gate::reference::Page;
use http::Method;
use test_support::{Caller, Response, TestApp};

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

    /// Sends a request with a body if it has one, and expects that it is charged so much.
    async fn expect(&mut self, cost: i64, request: &str, body: &str, expected: &str) -> Response {
        let (method, target) = request.split_once(' ').unwrap();
        let method: Method = method.parse().unwrap();
        let response = match body {
            "" => self.caller.call(method, target).await,
            body => self.caller.send_text(method, target, body).await,
        };
        self.remaining -= cost;
        assert_eq!(response.outcome(), expected, "{request}");
        let rate_limit = (LIMIT, self.remaining, self.reset);
        assert_eq!(response.rate_limit(), rate_limit, "{request}: {expected}");
        response
    }
}

// The fault blocks its thread while PostgreSQL waits for open transactions of the server, which must be able to end meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn every_response_to_a_key_has_the_limits_of_the_key() {
    let mut prepared = StoreFault::TablesDropped.prepare();
    let app = prepared.start_app(|_| {}).await;
    sample_data::create(&app).await;
    let mut account = Account::new(&app, app.caller(&app.create_free_key().await));
    for (request, body, expected) in [
        ("GET /pets", "", "200"),
        ("GET /pets?limit=0", "", "400 invalid_parameter"),
        ("GET /nowhere", "", "404 route_not_found"),
        ("DELETE /pets", "", "405 method_not_allowed"),
        ("TRACE /openapi.json", "", "405 method_not_allowed"),
        ("DELETE /pets/1", "", "409 pet_has_open_orders"),
        ("HEAD /nowhere", "", "404"),
        ("OPTIONS /pets", "", "204"),
        ("OPTIONS /openapi.json", "", "204"),
        ("OPTIONS /nowhere", "", "404 route_not_found"),
        ("DELETE /rate-limit", "", "405 method_not_allowed"),
        ("POST /pets", "{", "400 malformed_request"),
        ("POST /pets", "[]", "422 validation_failed"),
        (
            "POST /pets",
            &" ".repeat(64 * 1024 + 1),
            "413 body_too_large",
        ),
    ] {
        account.expect(1, request, body, expected).await;
    }
    account.expect(0, "GET /rate-limit", "", "200").await;
    let fault = prepared.begin(&app);
    account
        .expect(1, "GET /pets", "", "500 internal_error")
        .await;
    drop(fault);
    while account.remaining > 0 {
        account
            .expect(1, "GET /nowhere", "", "404 route_not_found")
            .await;
    }
    for (request, expected) in [
        ("GET /pets", "429 rate_limit_exceeded"),
        ("HEAD /pets", "429"),
        ("OPTIONS /nowhere", "429 rate_limit_exceeded"),
    ] {
        let response = account.expect(0, request, "", expected).await;
        assert_eq!(response.number("Retry-After"), Some(60), "{request}");
    }
}

#[tokio::test]
async fn pages_and_requests_without_a_valid_key_have_limits_of_the_address() {
    let app = TestApp::start().await;
    let key = app.create_free_key().await;
    let mut reader = Account::new(&app, app.anonymous());
    let mut anonymous = Account::new(&app, app.anonymous());
    for page in Page::ALL {
        let expected = if page == Page::Root { "302" } else { "200" };
        for caller in [app.anonymous(), app.caller(&key)] {
            reader.caller = caller;
            reader
                .expect(1, &format!("GET {}", page.path()), "", expected)
                .await;
        }
        // Their other methods are requests like any other.
        let options = format!("OPTIONS {}", page.path());
        anonymous
            .expect(1, &options, "", "401 missing_api_key")
            .await;
    }
    for (key, expected) in [
        ("", "401 missing_api_key"),
        ("pst_nonsense", "401 invalid_api_key"),
    ] {
        anonymous.caller = app.anonymous().with_header("X-API-Key", key);
        for request in [
            "GET /pets/0",
            "GET /nowhere",
            "GET /rate-limit",
            "DELETE /pets",
        ] {
            anonymous.expect(1, request, "", expected).await;
        }
    }
    while anonymous.remaining > 0 {
        anonymous
            .expect(1, "GET /pets", "", "401 invalid_api_key")
            .await;
    }
    let refused = anonymous.expect(0, "GET /nowhere", "", "429 rate_limit_exceeded");
    assert_eq!(refused.await.number("Retry-After"), Some(60));
    let read = app.create_read_key().await;
    let before = app.caller(&read).get("/pets").await.rate_limit().1;
    let denied = app.caller(&read).call(Method::DELETE, "/pets/1").await;
    assert_eq!(denied.outcome(), "403 insufficient_access");
    assert_eq!(denied.rate_limit().1, before - 1);
}
