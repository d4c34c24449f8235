//! Requests that cannot be decoded or do not validate: their error codes and messages. The rules of each are tested in
//! `spec-runtime`.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{Method, Request};
use test_support::{Response, TestApp, raw_http};

#[tokio::test]
async fn invalid_parameter_is_named_with_its_rule() {
    let app = TestApp::start().await;
    let rows = [
        (
            "/pets?limit=1000",
            r#"query parameter "limit" must be at most 100, got 1000"#,
        ),
        (
            "/pets?limit=ten",
            r#"query parameter "limit" must be an integer, got "ten""#,
        ),
        (
            "/pets?limit=1&limit=2",
            r#"query parameter "limit" must be given once, got 2 values"#,
        ),
        (
            "/pets?after=-1",
            r#"query parameter "after" must be at least 0, got -1"#,
        ),
        (
            "/pets?status=lost",
            r#"query parameter "status" must be one of "available", "pending", "sold", got "lost""#,
        ),
        (
            "/pets?colour=red",
            r#"query parameter "colour" is unknown; known parameters: after, categoryId, id, limit, status"#,
        ),
        (
            "/pets?status=%zz",
            r#"query parameter "status" has a % that is not followed by two hexadecimal digits"#,
        ),
        (
            "/pets/0",
            r#"path parameter "petId" must be at least 1, got 0"#,
        ),
        (
            "/pets/1?verbose=1",
            r#"query parameter "verbose" is unknown; the operation has no query parameters"#,
        ),
    ];
    let mut seen = Vec::new();
    for (target, _) in rows {
        seen.push(app.get(target).await.error());
    }
    assert_errors("400 invalid_parameter", &rows, &seen);
}

#[tokio::test]
async fn malformed_body_returns_the_location_of_the_error() {
    let app = TestApp::start().await;
    let rows = [
        (
            r#"{"name": "Cat",}"#,
            "the body is not valid JSON: trailing comma at line 1 column 16",
        ),
        (
            "{\"name\":\n  cat}",
            "the body is not valid JSON: expected value at line 2 column 3",
        ),
        (
            r#"{"name": "Cat", "name": "Dog"}"#,
            r#"the body is not valid JSON: duplicate member "name" at line 1 column 22"#,
        ),
        (
            r#"{"name": "Cat"} {}"#,
            "the body is not valid JSON: trailing characters at line 1 column 17",
        ),
        ("", "a body is required"),
    ];
    assert_errors("400 malformed_request", &rows, &post_all(&app, &rows).await);

    let not_utf8 = post(&app, "application/json", b"{\"name\": \"\xff\"}".to_vec()).await;
    assert_eq!(not_utf8.status, 400);
    let deep = "[".repeat(10_000);
    let response = app.send_text(Method::POST, "/categories", &deep).await;
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn invalid_body_returns_the_json_pointer_and_the_rule() {
    let app = TestApp::start().await;
    let long = format!(r#"{{"name": "{}"}}"#, "ß".repeat(101));
    let rows = [
        (r#"{}"#, "/name: is required"),
        (r#"[]"#, r#""": must be an object"#),
        (
            r#"{"name": ""}"#,
            "/name: must be at least 1 character long",
        ),
        (&long, "/name: must be at most 100 characters long"),
        (r#"{"name": 7}"#, "/name: must be a string"),
        (r#"{"name": null}"#, "/name: must be a string"),
        (
            r#"{"name": "Cat", "colour": "red"}"#,
            "/colour: is not a known property",
        ),
    ];
    assert_errors("422 validation_failed", &rows, &post_all(&app, &rows).await);
}

#[tokio::test]
async fn only_json_in_utf8_is_accepted() {
    let app = TestApp::start().await;
    let body = r#"{"name": "Cat"}"#;
    let rejected = ["text/plain", "application/json; charset=iso-8859-1", ""];
    for media_type in rejected {
        let response = post(&app, media_type, body).await;
        assert_eq!(response.status, 415, "{media_type:?}: {:?}", response.body);
    }
    let request = Request::builder().method(Method::POST).uri("/categories");
    let untyped = app
        .send(request.body(raw_http::full_body(body)).unwrap())
        .await;
    assert_eq!(untyped.status, 415, "no content type");

    for media_type in ["application/json", "Application/JSON; Charset=\"UTF-8\""] {
        let name = media_type.len();
        let response = post(&app, media_type, format!(r#"{{"name": "{name}"}}"#)).await;
        assert_eq!(response.status, 201, "{media_type:?}: {:?}", response.body);
    }
}

#[tokio::test]
async fn encoded_body_is_rejected_before_it_is_read() {
    let app = TestApp::start().await;
    let send = async |encoding: &str, body| {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/categories")
            .header(CONTENT_TYPE, "application/json")
            .header(CONTENT_ENCODING, encoding);
        app.send(request.body(body).unwrap()).await
    };
    for encoding in ["gzip", "identity, gzip", "GZIP", "unknown"] {
        // A body that never ends would be a 408 if it were read.
        let response = send(encoding, raw_http::unfinished_body("{")).await;
        assert_eq!(
            response.error(),
            "415 unsupported_media_type: the body must be sent without a Content-Encoding",
            "{encoding}"
        );
        assert_eq!(response.header("Accept-Encoding"), Some("identity"));
    }
    for encoding in ["identity, Identity", ""] {
        let body = format!(r#"{{"name": "as {encoding}"}}"#);
        let response = send(encoding, raw_http::full_body(body)).await;
        assert_eq!(response.status, 201, "{encoding}");
    }
    // A media type is refused without the header (RFC 9110, section 15.5.16).
    let response = post(&app, "text/plain", "Cat").await;
    assert_eq!(
        (response.status, response.header("Accept-Encoding")),
        (415, None)
    );
    let request = Request::builder()
        .uri("/pets")
        .header(CONTENT_ENCODING, "gzip");
    let without_body = app
        .send(request.body(raw_http::empty_body()).unwrap())
        .await;
    assert_eq!(without_body.status, 200, "the operation has no body");
}

#[tokio::test]
async fn rejects_body_larger_than_64_kib() {
    let app = TestApp::start().await;
    let sized = |size: usize| {
        let bare = r#"{"name": "Cat"}"#;
        bare.to_owned() + &" ".repeat(size - bare.len())
    };
    let most = post(&app, "application/json", sized(64 * 1024)).await;
    assert_eq!(most.status, 201);
    for size in [64 * 1024 + 1, 1024 * 1024, 5 * 1024 * 1024] {
        let response = post(&app, "application/json", sized(size)).await;
        assert_eq!(
            response.error(),
            "413 body_too_large: the body is larger than 65536 bytes",
            "{size}"
        );
    }
    assert_eq!(app.get("/pets").await.status, 200);
}

/// Posts each body, and returns the errors.
async fn post_all(app: &TestApp, rows: &[(&str, &str)]) -> Vec<String> {
    let mut errors = Vec::new();
    for (body, _) in rows {
        let response = app.send_text(Method::POST, "/categories", body).await;
        errors.push(response.error());
    }
    errors
}

/// Fails with all rows that differ, as one change of wording often affects several.
#[track_caller]
fn assert_errors(code: &str, rows: &[(&str, &str)], seen: &[String]) {
    let wrong: Vec<String> = std::iter::zip(rows, seen)
        .filter(|((_, message), seen)| format!("{code}: {message}") != **seen)
        .map(|((sent, message), seen)| format!("{sent}\n  not  {code}: {message}\n  but  {seen}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn post(app: &TestApp, media_type: &str, body: impl Into<bytes::Bytes>) -> Response {
    let request = Request::builder()
        .method(Method::POST)
        .uri("/categories")
        .header(CONTENT_TYPE, media_type);
    app.send(request.body(raw_http::full_body(body)).unwrap())
        .await
}
