//! Requests that cannot be decoded or do not validate: how their errors look. The rules and messages are tested in `spec-runtime`.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};
use test_support::TestApp;

#[tokio::test]
async fn error_names_the_place_and_the_rule() {
    let app = TestApp::start().await;
    let parameter = app.get("/pets?limit=1000").await;
    let expected =
        r#"400 invalid_parameter: query parameter "limit" must be at most 100, got 1000"#;
    assert_eq!(parameter.error(), expected);
    let most = r#"{"name": "Cat"}"#.to_owned() + &" ".repeat(64 * 1024 - 15);
    let large = format!("{most} ");
    for (body, expected) in [
        (
            "{\"name\":\n  cat}",
            "400 malformed_request: the body is not valid JSON: expected value at line 2 column 3",
        ),
        ("{}", "422 validation_failed: /name: is required"),
        (
            &large,
            "413 body_too_large: the body is larger than 65536 bytes",
        ),
    ] {
        let response = app.send_text(Method::POST, "/categories", body).await;
        assert_eq!(response.error(), expected);
    }
    let created = app.send_text(Method::POST, "/categories", &most).await;
    assert_eq!(created.status, 201);
}

#[tokio::test]
async fn encoded_body_is_rejected_before_it_is_read() {
    let app = TestApp::start().await;
    let send = async |encoding: &str, length: usize, body: &str| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/categories")
            .header(CONTENT_TYPE, "application/json")
            .header(CONTENT_LENGTH, length)
            .header(CONTENT_ENCODING, encoding);
        app.send(request.body(body.to_owned()).unwrap()).await
    };
    for encoding in ["gzip", "identity, GZIP"] {
        // A body that never ends would be a 408 if it were read.
        let response = send(encoding, 100, "{").await;
        assert_eq!(
            response.error(),
            "415 unsupported_media_type: the body must be sent without a Content-Encoding",
            "{encoding}"
        );
        assert_eq!(response.header("Accept-Encoding"), Some("identity"));
    }
    let response = send("identity", 15, r#"{"name": "Cat"}"#).await;
    assert_eq!(response.status, 201);
}
