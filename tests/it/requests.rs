//! Requests that cannot be read, or do not fit the document: which code they get, and what the message names.

use http::header::CONTENT_TYPE;
use http::{Method, Request};
use test_support::{Answer, TestApp, wire};

#[tokio::test]
async fn a_parameter_that_does_not_fit_is_named_with_its_bound() {
    let app = TestApp::start().await;
    let rows = [
        (
            "/pets?limit=1000",
            r#"query parameter "limit" must be at most 100, got 1000"#,
        ),
        (
            "/pets?limit=0",
            r#"query parameter "limit" must be at least 1, got 0"#,
        ),
        (
            "/pets?limit=ten",
            r#"query parameter "limit" must be an integer, got "ten""#,
        ),
        (
            "/pets?limit=",
            r#"query parameter "limit" must be an integer, got an empty value"#,
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
            "/pets?after=9223372036854775808",
            r#"query parameter "after" must be at most 9223372036854775807, got 9223372036854775808"#,
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
            "/pets?id=1&%6Cimit=0",
            r#"query parameter "limit" must be at least 1, got 0"#,
        ),
        (
            "/pets?status=%zz",
            r#"query parameter "status" has a % that is not followed by two hexadecimal digits"#,
        ),
        (
            "/pets?status=%ff",
            r#"query parameter "status" is not UTF-8"#,
        ),
        (
            "/store/orders?complete=yes",
            r#"query parameter "complete" must be a boolean (true or false), got "yes""#,
        ),
        (
            "/pets/0",
            r#"path parameter "petId" must be at least 1, got 0"#,
        ),
        (
            "/pets/one",
            r#"path parameter "petId" must be an integer, got "one""#,
        ),
        (
            "/pets/%zz",
            r#"path parameter "petId" has a % that is not followed by two hexadecimal digits"#,
        ),
        (
            "/pets/99999999999999999999",
            r#"path parameter "petId" must be at most 9223372036854775807, got 99999999999999999999"#,
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
    all_are("400 invalid_parameter", &rows, &seen);
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_told_where() {
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
    all_are("400 malformed_request", &rows, &posted(&app, &rows).await);

    let not_utf8 = post(&app, "application/json", b"{\"name\": \"\xff\"}".to_vec()).await;
    assert_eq!(not_utf8.status, 400);
    let deep = "[".repeat(10_000);
    let answer = app.send_text(Method::POST, "/categories", &deep).await;
    assert_eq!(answer.status, 400);
}

#[tokio::test]
async fn a_body_that_does_not_fit_is_told_the_place_and_the_bound() {
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
    all_are("422 validation_failed", &rows, &posted(&app, &rows).await);
}

#[tokio::test]
async fn only_json_in_utf8_is_taken() {
    let app = TestApp::start().await;
    let body = r#"{"name": "Cat"}"#;
    let refused = [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "application/json; charset=iso-8859-1",
        "application/merge-patch+json",
        "json",
        "",
    ];
    for media_type in refused {
        let answer = post(&app, media_type, body).await;
        assert_eq!(answer.status, 415, "{media_type:?}: {:?}", answer.body);
    }
    let request = Request::builder().method(Method::POST).uri("/categories");
    let untyped = app.send(request.body(wire::whole(body)).unwrap()).await;
    assert_eq!(untyped.status, 415, "no content type");

    for media_type in ["application/json", "Application/JSON; Charset=\"UTF-8\""] {
        let name = media_type.len();
        let answer = post(&app, media_type, format!(r#"{{"name": "{name}"}}"#)).await;
        assert_eq!(answer.status, 201, "{media_type:?}: {:?}", answer.body);
    }
}

#[tokio::test]
async fn a_body_may_be_64_kib_and_not_a_byte_more() {
    let app = TestApp::start().await;
    let sized = |size: usize| {
        let bare = r#"{"name": "Cat"}"#;
        bare.to_owned() + &" ".repeat(size - bare.len())
    };
    let most = post(&app, "application/json", sized(64 * 1024)).await;
    assert_eq!(most.status, 201);
    for size in [64 * 1024 + 1, 1024 * 1024, 5 * 1024 * 1024] {
        let answer = post(&app, "application/json", sized(size)).await;
        assert_eq!(
            answer.error(),
            "413 body_too_large: the body is larger than 65536 bytes",
            "{size}"
        );
    }
    assert_eq!(app.get("/pets").await.status, 200, "and life goes on");
}

/// The errors that bodies are answered with.
async fn posted(app: &TestApp, rows: &[(&str, &str)]) -> Vec<String> {
    let mut errors = Vec::new();
    for (body, _) in rows {
        let answer = app.send_text(Method::POST, "/categories", body).await;
        errors.push(answer.error());
    }
    errors
}

/// Compares all rows before it fails, since one change of wording often touches several.
#[track_caller]
fn all_are(code: &str, rows: &[(&str, &str)], seen: &[String]) {
    let wrong: Vec<String> = std::iter::zip(rows, seen)
        .filter(|((_, message), seen)| format!("{code}: {message}") != **seen)
        .map(|((sent, message), seen)| format!("{sent}\n  not  {code}: {message}\n  but  {seen}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn post(app: &TestApp, media_type: &str, body: impl Into<bytes::Bytes>) -> Answer {
    let request = Request::builder()
        .method(Method::POST)
        .uri("/categories")
        .header(CONTENT_TYPE, media_type);
    app.send(request.body(wire::whole(body)).unwrap()).await
}
