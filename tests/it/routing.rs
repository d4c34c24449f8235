//! Requests that reach no operation, and HEAD and OPTIONS. The form of each response is checked by the `ResponseChecker`.

use std::collections::BTreeSet;

use http::{Method, Request};
use petstore_api::OPERATIONS;
use test_support::{Response, TestApp, examples, raw_http};

#[tokio::test]
async fn unknown_path_returns_404_for_every_method() {
    let app = TestApp::start().await;
    let paths = [
        "/pet",
        "/pets/",
        "//pets",
        "/Pets",
        "/pets%2F1",
        "/pets/%2E%2E/pets",
        "/openapi.yml",
    ];
    for path in paths {
        for method in [Method::GET, Method::POST, Method::OPTIONS, Method::TRACE] {
            let response = app.call(method.clone(), path).await;
            assert_eq!(response.status, 404, "{method} {path}");
        }
    }
    let response = app.get("/pet").await;
    assert_eq!(
        response.error(),
        "404 route_not_found: there is nothing at this path; /docs describes what there is",
    );
}

#[tokio::test]
async fn wrong_method_returns_405_with_the_allowed_methods() {
    let app = TestApp::start().await;
    for (path, allow) in [
        ("/pets", "GET, POST, OPTIONS, HEAD"),
        ("/store/orders/1", "GET, DELETE, PATCH, OPTIONS, HEAD"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ] {
        let methods_of = |allow: &str| {
            allow
                .split(", ")
                .map(str::to_owned)
                .collect::<BTreeSet<_>>()
        };
        let allowed = methods_of(allow);
        for name in [
            "GET", "PUT", "POST", "DELETE", "PATCH", "TRACE", "QUERY", "PROPFIND", "OPTIONS",
        ] {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            let response = app.call(method, path).await;
            let status = match (name, allowed.contains(name)) {
                ("OPTIONS", _) => 204,
                (_, false) => 405,
                _ => continue,
            };
            // The order of the methods has no meaning (RFC 9110, section 10.2.1).
            let seen = (
                response.status,
                methods_of(response.header("Allow").unwrap()),
            );
            assert_eq!(seen, (status, allowed.clone()), "{name} {path}");
        }
    }
    let response = app.call(Method::PUT, "/rate-limit").await;
    assert_eq!(
        response.error(),
        "405 method_not_allowed: this path answers to GET, OPTIONS, HEAD, not to PUT"
    );
}

#[tokio::test]
async fn head_returns_the_headers_of_get_without_the_body() {
    let app = TestApp::start().await;
    let pet = app.create_pet_with_stock("Mittens", 2).await;
    app.place_order(pet, 1).await;
    app.create_pet("Rex").await;
    let gets = OPERATIONS
        .iter()
        .filter(|info| info.method.as_str() == "GET");
    let known = gets.map(examples::path_with_ids);
    let others = [
        "/openapi.json",
        "/pets?limit=1",
        "/pets?limit=0",
        "/pets/424242",
    ];
    for target in known.chain(others.map(str::to_owned)) {
        let get = app.get(&target).await;
        let head = app.call(Method::HEAD, &target).await;
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(stable_headers(&head), stable_headers(&get), "{target}");
        assert!(head.body.is_empty(), "{target}");
    }
}

/// The headers that do not differ between two responses. Each request is charged, so the remaining number does.
fn stable_headers(response: &Response) -> Vec<(String, String)> {
    let changing = ["date", "x-request-id", "x-ratelimit-remaining"];
    let headers = response.headers.iter();
    let stable = headers.filter(|(name, _)| !changing.contains(&name.as_str()));
    let mut stable: Vec<_> = stable
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    stable.sort();
    stable
}

#[tokio::test]
async fn unusual_methods_and_paths_are_refused_by_the_gate() {
    let app = TestApp::start().await;
    let brewed = app
        .call(Method::from_bytes(b"BREW").unwrap(), "/pets")
        .await;
    assert_eq!(brewed.outcome(), "405 method_not_allowed");
    for target in ["/pets/../pets", "/pets/.", "/pets/%ff"] {
        // No operation is selected, though its path template fits.
        let request = Request::get(target).body(raw_http::empty_body()).unwrap();
        let response = raw_http::send(app.address(), request).await;
        assert_eq!(response.outcome(), "400 malformed_request", "{target}");
    }
}

/// What hyper rejects, in its own form. ARCHITECTURE.md lists it.
#[tokio::test]
async fn head_that_is_not_http_gets_400_without_a_body() {
    let app = TestApp::start().await;
    let response =
        raw_http::send_text(app.address(), "GET /pets HTTP/1.1\r\nnonsense\r\n\r\n").await;
    assert!(
        response.starts_with("HTTP/1.1 400 Bad Request\r\n"),
        "{response}"
    );
}
