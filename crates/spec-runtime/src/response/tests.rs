#![allow(clippy::unwrap_used)]

use http::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;
use crate::example::{CHANGE, CREATE, DOCUMENT, LIST, OPERATIONS, document, operation};

const JSON: (&str, &str) = ("content-type", "application/json");
const TOTAL: (&str, &str) = ("x-total", "1");

/// Names and values of headers.
type Sent<'a> = &'a [(&'static str, &'static str)];

/// The violations of a response, one a line.
fn check(operation: usize, status: u16, headers: Sent<'_>, body: &str) -> String {
    let validator = ResponseValidator::new(&DOCUMENT, &OPERATIONS).unwrap();
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    let status = StatusCode::from_u16(status).unwrap();
    match validator.check(operation, status, &map, body.as_bytes()) {
        Ok(()) => "fits".to_owned(),
        Err(violations) => {
            let lines: Vec<String> = violations.iter().map(Violation::to_string).collect();
            lines.join("\n")
        }
    }
}

#[test]
fn responses_are_checked_against_the_document() {
    const THING: &str = r#"[{"id":1,"name":"a"}]"#;
    let text = ("content-type", "text/plain; charset=utf-8");
    let rows: [(usize, u16, Sent<'_>, &str, &str, &str); 19] = [
        (
            LIST,
            200,
            &[JSON, TOTAL],
            THING,
            "fits",
            "what is only written is not in an answer",
        ),
        (
            LIST,
            200,
            &[JSON, TOTAL, ("x-more", "?")],
            THING,
            "fits",
            "more headers may come",
        ),
        (
            LIST,
            201,
            &[JSON],
            THING,
            "listThings 201: status is not declared; declared are: 200, 4XX",
            "an undeclared status",
        ),
        (
            LIST,
            200,
            &[JSON],
            THING,
            r#"listThings 200: header "X-Total" is required"#,
            "a missing header",
        ),
        (
            LIST,
            200,
            &[JSON, ("x-total", "-1")],
            THING,
            r#"listThings 200: header "X-Total" must be at least 0, got -1"#,
            "a header that does not fit",
        ),
        (
            LIST,
            200,
            &[JSON, TOTAL, TOTAL],
            THING,
            r#"listThings 200: header "X-Total" takes one value, got 2"#,
            "a header twice",
        ),
        (
            LIST,
            200,
            &[TOTAL],
            THING,
            "listThings 200: content type is missing",
            "no type",
        ),
        (
            LIST,
            200,
            &[text, TOTAL],
            THING,
            "listThings 200: content type text/plain is not declared",
            "another type",
        ),
        (
            LIST,
            200,
            &[JSON, TOTAL],
            "[",
            "listThings 200: body is not JSON: EOF while parsing a list at line 1 column 1",
            "not JSON",
        ),
        (
            LIST,
            200,
            &[JSON, TOTAL],
            r#"[{"name":""}]"#,
            "listThings 200: body /0/id is required\nlistThings 200: body /0/name must be at least 1 character long",
            "what is only read is required here",
        ),
        (
            LIST,
            404,
            &[text],
            "gone",
            "fits",
            "a class of statuses, a range of types",
        ),
        (
            LIST,
            404,
            &[text],
            "no",
            "listThings 404: body must be at least 3 characters long",
            "text is a string",
        ),
        (
            LIST,
            404,
            &[JSON],
            "1",
            "listThings 404: content type application/json is not declared",
            "out of the range",
        ),
        (CREATE, 204, &[], "", "fits", "no content"),
        (
            CREATE,
            204,
            &[],
            "x",
            "createThing 204: body must be empty, got 1 bytes",
            "content where there is none",
        ),
        (
            CREATE,
            500,
            &[JSON],
            "1",
            "fits",
            "default, without a schema",
        ),
        (CHANGE, 200, &[], "", "fits", "a status without content"),
        (CHANGE, 503, &[text], "busy", "fits", "any type"),
        (
            CHANGE,
            503,
            &[],
            "busy",
            "changeThing 503: content type is missing",
            "any type, but one",
        ),
    ];
    for (operation, status, headers, body, expected, reason) in rows {
        assert_eq!(
            check(operation, status, headers, body),
            expected,
            "{reason}"
        );
    }
}

#[test]
fn responses_that_cannot_be_checked_are_refused_at_the_start() {
    static TABLE: [OperationInfo; 1] = [operation("x", crate::Method::Get, "/x")];
    let rows = [
        (
            json!({ "$ref": "#/nowhere" }),
            "a reference cannot be resolved",
        ),
        (
            json!({ "headers": { "A": { "$ref": "#/nowhere" } } }),
            "a reference cannot be resolved",
        ),
        (
            json!({ "content": { "json": {} } }),
            "the content type is not readable",
        ),
        (
            json!({ "headers": { "A": { "schema": { "type": "object" } } } }),
            "header A: only strings, numbers, booleans and arrays of them can be read from a text",
        ),
    ];
    for (response, reason) in rows {
        let json = json!({ "paths": { "/x": { "get": { "responses": { "200": response } } } } });
        let error = ResponseValidator::new(document(json), &TABLE).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("x: the response 200 is unusable: {reason}")
        );
    }
}
