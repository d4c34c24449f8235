//! The access of API keys: `read` keys may call the operations that change nothing.

use http::Method;
use petstore_api::Operation;
use test_support::TestApp;

use crate::declared_outcomes::sample_data;

#[tokio::test]
async fn read_key_may_call_every_operation_without_required_access() {
    let app = TestApp::start().await;
    sample_data::create(&app).await;
    let reader = app.caller(&app.create_read_key().await);
    for operation in Operation::ALL {
        let info = operation.info();
        if info.required_access.is_none() {
            let (target, _) = sample_data::request(operation);
            let outcome = reader.get(&target).await.outcome();
            assert_eq!(outcome, "200", "{}", info.operation_id);
        }
    }
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
