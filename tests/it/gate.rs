//! What the gate answers where there is no operation to ask: unknown paths, wrong methods, HEAD, OPTIONS. The witness
//! checks the form of each answer.

use std::collections::BTreeSet;

use futures::future::join_all;
use http::{Method, Request};
use petstore_api::{OPERATIONS, Operation};
use test_support::{Answer, TestApp, wire};

#[tokio::test]
async fn an_unknown_path_is_not_found_whatever_the_method() {
    let app = TestApp::start().await;
    let paths = [
        "/pet",
        "/pets/",
        "//pets",
        "/Pets",
        "/pets/1/photos",
        "/store",
        "/pets%2F1",
        "/pets/%2E%2E/pets",
        "/openapi.yml",
    ];
    for path in paths {
        for method in [Method::GET, Method::POST, Method::OPTIONS, Method::TRACE] {
            let answer = app.call(method.clone(), path).await;
            assert_eq!(answer.status, 404, "{method} {path}");
        }
    }
    let answer = app.get("/pet").await;
    assert_eq!(
        answer.error(),
        "404 route_not_found: there is nothing at this path; /docs describes what there is",
    );
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let app = TestApp::start().await;
    let rows = [
        ("/pets", "GET, HEAD, POST, OPTIONS"),
        ("/pets/1", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("/categories", "GET, HEAD, POST, OPTIONS"),
        ("/categories/1", "GET, HEAD, PUT, DELETE, OPTIONS"),
        ("/store/orders", "GET, HEAD, POST, OPTIONS"),
        ("/store/orders/1", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/store/inventory", "GET, HEAD, OPTIONS"),
        ("/store/inventory/1", "GET, HEAD, PUT, OPTIONS"),
        ("/rate-limit", "GET, HEAD, OPTIONS"),
        ("/openapi.yaml", "GET, HEAD, OPTIONS"),
        ("/openapi.json", "GET, HEAD, OPTIONS"),
    ];
    let methods = [
        "GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "TRACE", "QUERY", "PROPFIND",
    ];
    for (path, allow) in rows {
        let allowed: Vec<&str> = allow.split(", ").collect();
        for name in methods.iter().filter(|name| !allowed.contains(name)) {
            let method = Method::from_bytes(name.as_bytes()).unwrap();
            let answer = app.call(method, path).await;
            let seen = (answer.status.as_u16(), allowed_by(&answer));
            assert_eq!(seen, (405, methods_in(allow)), "{name} {path}");
        }
        let answer = app.call(Method::OPTIONS, path).await;
        let seen = (answer.status.as_u16(), allowed_by(&answer));
        assert_eq!(seen, (204, methods_in(allow)), "OPTIONS {path}");
    }
    let answer = app.call(Method::PUT, "/rate-limit").await;
    assert_eq!(
        answer.error(),
        "405 method_not_allowed: this path answers to GET, OPTIONS, HEAD, not to PUT"
    );
}

fn allowed_by(answer: &Answer) -> BTreeSet<&str> {
    methods_in(answer.header("Allow").unwrap())
}

/// Their order means nothing (RFC 9110, section 10.2.1).
fn methods_in(allow: &str) -> BTreeSet<&str> {
    allow.split(", ").collect()
}

#[tokio::test]
async fn a_wrong_method_with_a_body_is_answered_too() {
    let app = TestApp::start().await;
    let large = "x".repeat(200_000);
    let answer = app.send_text(Method::PUT, "/pets", &large).await;
    assert_eq!(answer.status, 405);
    let answer = app.send_text(Method::POST, "/nowhere", &large).await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn head_answers_as_get_does_without_the_body() {
    let app = TestApp::start().await;
    let pet = app.pet_with_stock("Mittens", 2).await;
    app.order(pet, 1).await;
    app.pet("Rex").await;
    let gets = OPERATIONS
        .iter()
        .filter(|info| info.method.as_str() == "GET");
    let known = gets.clone().map(|info| info.path.replace("{petId}", "1"));
    let known = known.map(|path| path.replace("{categoryId}", "1").replace("{orderId}", "1"));
    let unknown = gets.map(|info| info.path.split('{').next().unwrap().to_owned() + "424242");
    let beside = [
        "/openapi.yaml",
        "/openapi.json",
        "/pets?limit=1",
        "/pets?limit=0",
    ];
    let targets = known.chain(unknown).chain(beside.map(str::to_owned));
    for target in targets {
        let get = app.get(&target).await;
        let head = app.call(Method::HEAD, &target).await;
        assert_eq!(head.status, get.status, "{target}");
        assert_eq!(lasting(&head), lasting(&get), "{target}");
        assert!(head.body.is_empty(), "{target}");
    }
}

/// The headers that do not differ from one answer to the next. Each request is charged, so what remains does.
fn lasting(answer: &Answer) -> Vec<(String, String)> {
    let passing = ["date", "x-request-id", "x-ratelimit-remaining"];
    let headers = answer.headers.iter();
    let lasting = headers.filter(|(name, _)| !passing.contains(&name.as_str()));
    let mut lasting: Vec<_> = lasting
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    lasting.sort();
    lasting
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let app = TestApp::start().await;
    let answers = join_all((0..8).map(|_| app.get("/pets"))).await;
    let mut ids: Vec<_> = answers
        .iter()
        .map(|one| one.header("X-Request-Id"))
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8, "{ids:?}");
}

/// What never reaches the gate is answered in dropshot's or hyper's own shape. The list is in the README.
#[tokio::test]
async fn what_the_frame_answers_by_itself_is_known() {
    let app = TestApp::start().await;
    let rows = [
        ("BREW", "/pets", 405, "a method that nobody registered"),
        ("GET", "/pets/../pets", 400, "dot segments"),
        ("GET", "/pets/%ff", 400, "no UTF-8"),
    ];
    for (method, target, status, reason) in rows {
        let request = Request::builder().method(method).uri(target);
        let request = request.body(wire::empty()).unwrap();
        let answer = wire::exchange(app.address(), request).await;
        assert_eq!(answer.status, status, "{reason}: {:?}", answer.body);
        let body: serde_json::Value = answer.json();
        assert!(body["request_id"].is_string(), "{reason}: {body}");
    }
    let answer = wire::exchange_text(app.address(), "GET /pets HTTP/1.1\r\nnonsense\r\n\r\n").await;
    assert!(
        answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn every_operation_is_reached_through_the_gate() {
    let app = TestApp::start().await;
    for operation in Operation::ALL {
        let info = operation.info();
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let path = info
            .path
            .replace("{petId}", "0")
            .replace("{categoryId}", "0");
        let path = path.replace("{orderId}", "0");
        // Whatever it makes of that, it is neither unknown nor refused for its method.
        let answer = app.call(method, &path).await;
        let seen = answer.status.as_u16();
        assert!(![404, 405].contains(&seen), "{}: {seen}", info.operation_id);
    }
}
