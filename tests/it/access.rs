//! The access of API keys: `read` keys may call the operations that change nothing. `declared_outcomes` provokes the refusals.

use petstore_api::Operation;
use test_support::TestApp;

use crate::declared_outcomes::sample_data;

#[tokio::test]
async fn read_key_may_call_get_and_nothing_else() {
    let app = TestApp::start().await;
    sample_data::create(&app).await;
    let reader = app.caller(&app.create_read_key().await);
    for operation in Operation::ALL {
        let info = operation.info();
        let is_get = info.method.as_str() == "GET";
        assert_eq!(
            info.required_access.is_none(),
            is_get,
            "{}",
            info.operation_id
        );
        if is_get {
            let (target, _) = sample_data::request(operation);
            let outcome = reader.get(&target).await.outcome();
            assert_eq!(outcome, "200", "{}", info.operation_id);
        }
    }
}
