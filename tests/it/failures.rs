//! Responses to clients when the server fails, or the client does not finish its request.

use http::Method;
use test_support::{TestApp, raw_http};

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

#[tokio::test]
async fn truncated_body_creates_nothing() {
    let app = TestApp::start().await;
    let head = format!(
        "POST /categories HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-api-key: {}\r\n",
        app.owner_key()
    );
    for rest in [
        "content-length: 100\r\n\r\n{\"name\": \"Cat\"}",
        "transfer-encoding: chunked\r\n\r\nf\r\n{\"name\": \"Cat\"}\r\n",
        "transfer-encoding: chunked\r\n\r\nnonsense",
    ] {
        // The connection may close before a response is sent.
        let response = raw_http::send_text(app.address(), &format!("{head}{rest}")).await;
        assert!(!response.starts_with("HTTP/1.1 2"), "{response}");
    }
    assert_eq!(app.get("/categories").await.text(), "[]");
}
