//! The access of API keys: `read` keys may call the operations that change nothing.

use http::Method;
use petstore_api::Operation;
use test_support::TestApp;

use crate::declared_outcomes::sample_data;

#[tokio::test]
async fn read_key_is_rejected_by_the_10_operations_that_need_write_access() {
    let app = TestApp::start().await;
    sample_data::create(&app).await;
    let before = list_all(&app).await;
    let reader = app.caller(&app.create_read_key().await);
    let mut rejected = 0;
    for operation in Operation::ALL {
        let info = operation.info();
        let (target, body) = sample_data::request(operation);
        let method = Method::from_bytes(info.method.as_str().as_bytes()).unwrap();
        let response = match body {
            Some(body) => reader.send_text(method, target, body).await,
            None => reader.call(method, target).await,
        };
        let expected = match info.required_access {
            Some("write") => "403 insufficient_access",
            Some(other) => panic!("unknown access {other}"),
            None => "200",
        };
        assert_eq!(response.outcome(), expected, "{}", info.operation_id);
        rejected += usize::from(expected != "200");
    }
    assert_eq!((rejected, Operation::ALL.len()), (10, 19));
    assert_eq!(list_all(&app).await, before);
}

#[test]
fn every_operation_other_than_get_needs_write_access() {
    for operation in Operation::ALL {
        let info = operation.info();
        let changes = info.method.as_str() != "GET";
        let required = info.required_access.is_some();
        assert_eq!(required, changes, "{}", info.operation_id);
    }
}

#[tokio::test]
async fn insufficient_access_names_the_required_access() {
    let app = TestApp::start().await;
    let reader = app.caller(&app.create_read_key().await);
    let response = reader.call(Method::DELETE, "/pets/1").await;
    assert_eq!(
        response.error(),
        "403 insufficient_access: this operation needs a key with write access, and this one has read"
    );
    // A response without an operation needs no access.
    let response = reader.call(Method::DELETE, "/pets").await;
    assert_eq!(response.outcome(), "405 method_not_allowed");
    let response = reader.call(Method::OPTIONS, "/pets").await;
    assert_eq!(response.outcome(), "204");
}

async fn list_all(app: &TestApp) -> Vec<String> {
    let mut lists = Vec::new();
    for list in ["/pets", "/categories", "/store/orders", "/store/inventory"] {
        let response = app.get(list).await;
        lists.push(String::from_utf8(response.body.to_vec()).unwrap());
    }
    lists
}
