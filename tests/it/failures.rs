//! Responses to clients when the server fails.

use http::Method;
use test_support::TestApp;

#[tokio::test]
async fn internal_error_hides_its_details_and_ends_with_its_cause() {
    let app = TestApp::start().await;
    app.create_pet("Mittens").await;
    app.storage()
        .execute("ALTER TABLE pets RENAME TO secret_pets");
    let expected = "500 internal_error: an internal error occurred; the log of the server holds the details under \
                    this X-Request-Id";
    assert_eq!(app.get("/pets").await.error(), expected);
    let body = r#"{"name": "Rex", "categoryId": 1}"#;
    let write = app.send_text(Method::POST, "/pets", body).await;
    assert_eq!(write.error(), expected);

    app.storage()
        .execute("ALTER TABLE secret_pets RENAME TO pets");
    assert_eq!(app.get("/pets").await.status, 200);
    let write = app.send_text(Method::POST, "/pets", body).await;
    assert_eq!(write.status, 201);
}
