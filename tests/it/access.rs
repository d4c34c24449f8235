//! What a key may do: a `read` key changes nothing, and reads everything.

use http::Method;
use petstore_api::Operation;
use test_support::TestApp;

use crate::walk::stage;

#[tokio::test]
async fn a_read_key_is_refused_where_something_is_changed_and_only_there() {
    let app = TestApp::start().await;
    stage::set(&app).await;
    let before = contents(&app).await;
    let reader = app.caller(&app.read_key().await);
    let mut refused = 0;
    for operation in Operation::ALL {
        let info = operation.info();
        let (target, body) = stage::request(operation);
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let answer = match body {
            Some(body) => reader.send_text(method, target, body).await,
            None => reader.call(method, target).await,
        };
        let expected = match info.required_access {
            Some("write") => "403 insufficient_access",
            Some(other) => panic!("what is {other} access?"),
            None => "200",
        };
        assert_eq!(answer.outcome(), expected, "{}", info.operation_id);
        refused += usize::from(expected != "200");
    }
    assert_eq!((refused, Operation::ALL.len()), (10, 19));
    assert_eq!(contents(&app).await, before, "nothing was changed");
}

/// A method that changes something is one that needs access, and no other.
#[test]
fn the_document_asks_for_write_access_where_the_method_changes_something() {
    for operation in Operation::ALL {
        let info = operation.info();
        let changes = info.method.as_str() != "GET";
        let required = info.required_access.is_some();
        assert_eq!(required, changes, "{}", info.operation_id);
    }
}

#[tokio::test]
async fn the_refusal_says_what_is_needed() {
    let app = TestApp::start().await;
    let reader = app.caller(&app.read_key().await);
    let answer = reader.call(Method::DELETE, "/pets/1").await;
    assert_eq!(
        answer.error(),
        "403 insufficient_access: this operation needs a key with write access, and this one has read"
    );
    // What is no operation needs no access.
    let answer = reader.call(Method::DELETE, "/pets").await;
    assert_eq!(answer.outcome(), "405 method_not_allowed");
    let answer = reader.call(Method::OPTIONS, "/pets").await;
    assert_eq!(answer.outcome(), "204");
}

async fn contents(app: &TestApp) -> Vec<String> {
    let mut lists = Vec::new();
    for list in ["/pets", "/categories", "/store/orders", "/store/inventory"] {
        let answer = app.get(list).await;
        lists.push(String::from_utf8(answer.body.to_vec()).unwrap());
    }
    lists
}
