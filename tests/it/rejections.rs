//! Requests that cannot be decoded or do not validate: their error codes and messages. The rules of each are tested in
//! `dropspec-runtime`.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{Method, Request};
use test_support::{TestApp, raw_http};

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
            "/pets?status=lost",
            r#"query parameter "status" must be one of "available", "pending", "sold", got "lost""#,
        ),
        (
            "/pets?colour=red",
            r#"query parameter "colour" is unknown; known parameters: after, categoryId, id, limit, status"#,
        ),
        (
            "/pets/0",
            r#"path parameter "petId" must be at least 1, got 0"#,
        ),
    ];
    let mut seen = Vec::new();
    for (target, _) in rows {
        seen.push(app.get(target).await.error());
    }
    assert_errors("400 invalid_parameter", &rows, &seen);
}

#[tokio::test]
async fn invalid_body_returns_its_place_and_the_rule() {
    let app = TestApp::start().await;
    let rows = [
        (
            "{\"name\":\n  cat}",
            "the body is not valid JSON: expected value at line 2 column 3",
        ),
        (
            r#"{"name": "Cat", "name": "Dog"}"#,
            r#"the body is not valid JSON: duplicate member "name" at line 1 column 22"#,
        ),
        ("", "a body is required"),
    ];
    assert_errors("400 malformed_request", &rows, &post_all(&app, &rows).await);

    let long = format!(r#"{{"name": "{}"}}"#, "ß".repeat(101));
    let rows = [
        (r#"{}"#, "/name: is required"),
        (r#"[]"#, r#""": must be an object"#),
        (&long, "/name: must be at most 100 characters long"),
        (
            r#"{"name": "Cat", "colour": "red"}"#,
            "/colour: is not a known property",
        ),
    ];
    assert_errors("422 validation_failed", &rows, &post_all(&app, &rows).await);
    let large = r#"{"name": "Cat"}"#.to_owned() + &" ".repeat(64 * 1024);
    let rejected = app.send_text(Method::POST, "/categories", &large).await;
    let expected = "413 body_too_large: the body is larger than 65536 bytes";
    assert_eq!(rejected.error(), expected);
    let most = app.send_text(Method::POST, "/categories", &large[..64 * 1024]);
    assert_eq!(most.await.status, 201);
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
    for encoding in ["gzip", "identity, GZIP"] {
        // A body that never ends would be a 408 if it were read.
        let response = send(encoding, raw_http::unfinished_body("{")).await;
        assert_eq!(
            response.error(),
            "415 unsupported_media_type: the body must be sent without a Content-Encoding",
            "{encoding}"
        );
        assert_eq!(response.header("Accept-Encoding"), Some("identity"));
    }
    let response = send("identity", raw_http::full_body(r#"{"name": "Cat"}"#)).await;
    assert_eq!(response.status, 201);
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
