//! Tests of `response`.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use serde_json::json;

use super::*;
use crate::tests::{CHANGE, CREATE, DOCUMENT, LIST, OPERATIONS, document};

type Header = (&'static str, &'static str);

const JSON: Header = ("content-type", "application/json");
const TEXT: Header = ("content-type", "text/plain; charset=utf-8");
const TOTAL: Header = ("x-total", "1");
const WIDGETS: &str = r#"[{"id":1,"name":"a"}]"#;

/// The mismatches of a response, one per line; empty if there are none.
fn check(operation: usize, status: u16, headers: &[Header], body: &str) -> String {
    let validator = ResponseValidator::new(&DOCUMENT, &OPERATIONS).unwrap();
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_static(name);
        map.append(name, HeaderValue::from_static(value));
    }
    let status = StatusCode::from_u16(status).unwrap();
    let result = validator.check(operation, status, &map, body.as_bytes());
    let mismatches = result.err().unwrap_or_default();
    let lines: Vec<String> = mismatches.iter().map(ResponseMismatch::to_string).collect();
    lines.join("\n")
}

#[test]
fn accepts_responses_that_fit_the_document() {
    let more: [Header; 3] = [JSON, TOTAL, ("x-more", "?")];
    let rows: [(usize, u16, &[Header], &str, &str); 7] = [
        (LIST, 200, &[JSON, TOTAL], WIDGETS, "no writeOnly property"),
        (LIST, 200, &more, WIDGETS, "an undeclared header"),
        (LIST, 404, &[TEXT], "gone", "status class, media type range"),
        (CREATE, 204, &[], "", "no content"),
        (CREATE, 500, &[JSON], "1", "`default`, without a schema"),
        (CHANGE, 200, &[], "", "no declared content"),
        (CHANGE, 503, &[TEXT], "busy", "any media type"),
    ];
    for (operation, status, headers, body, reason) in rows {
        assert_eq!(check(operation, status, headers, body), "", "{reason}");
    }
}

#[test]
fn reports_status_and_header_mismatches() {
    let rows: [(u16, &[Header], &str); 4] = [
        (
            201,
            &[JSON],
            "status is not declared; declared are: 200, 4XX",
        ),
        (200, &[JSON], r#"header "X-Total" is required"#),
        (
            200,
            &[JSON, ("x-total", "-1")],
            r#"header "X-Total" must be at least 0, got -1"#,
        ),
        (
            200,
            &[JSON, TOTAL, TOTAL],
            r#"header "X-Total" must be given once, got 2 values"#,
        ),
    ];
    for (status, headers, expected) in rows {
        let found = check(LIST, status, headers, WIDGETS);
        assert_eq!(found, format!("listWidgets {status}: {expected}"));
    }
}

#[test]
fn exact_status_comes_before_its_class_and_this_before_the_default() {
    static TABLE: [OperationInfo; 1] = [OperationInfo::new("x", crate::Method::Get, "/x")];
    let only =
        |value: u8| json!({ "content": { "application/json": { "schema": { "enum": [value] } } } });
    let responses = json!({ "default": only(1), "4XX": only(2), "404": only(3) });
    let json = json!({ "paths": { "/x": { "get": { "responses": responses } } } });
    let validator = ResponseValidator::new(document(json), &TABLE).unwrap();
    let headers =
        HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    for (status, body) in [(404, "3"), (400, "2"), (500, "1")] {
        let status = StatusCode::from_u16(status).unwrap();
        let checked = validator.check(0, status, &headers, body.as_bytes());
        assert_eq!(checked, Ok(()), "{status}");
    }
}

#[test]
fn reports_content_type_and_body_mismatches() {
    let json = [JSON, TOTAL];
    let short = "body must be at least 3 characters long";
    let rows: [(usize, u16, &[Header], &str, &str); 9] = [
        (LIST, 200, &[TOTAL], WIDGETS, "content type is missing"),
        (
            LIST,
            200,
            &[TEXT, TOTAL],
            "",
            "content type text/plain is not declared",
        ),
        (
            LIST,
            200,
            &json,
            "[",
            "body is not JSON: EOF while parsing a list at line 1 column 1",
        ),
        (LIST, 200, &json, "{}", "body must be an array"),
        (
            LIST,
            200,
            &json,
            r#"[{"name":"a"}]"#,
            "body /0/id is required",
        ),
        (LIST, 404, &[TEXT], "no", short),
        (
            LIST,
            404,
            &[JSON],
            "1",
            "content type application/json is not declared",
        ),
        (CREATE, 204, &[], "x", "body must be empty, got 1 bytes"),
        (CHANGE, 503, &[], "busy", "content type is missing"),
    ];
    for (operation, status, headers, body, expected) in rows {
        let id = OPERATIONS[operation].operation_id;
        let found = check(operation, status, headers, body);
        assert_eq!(found, format!("{id} {status}: {expected}"));
    }
}

#[test]
fn rejects_unsupported_definitions() {
    static TABLE: [OperationInfo; 1] = [OperationInfo::new("x", crate::Method::Get, "/x")];
    let nowhere = json!({ "$ref": "#/nowhere" });
    for response in [nowhere.clone(), json!({ "headers": { "A": nowhere } })] {
        let json = json!({ "paths": { "/x": { "get": { "responses": { "200": response } } } } });
        let error = ResponseValidator::new(document(json), &TABLE).unwrap_err();
        let expected =
            "x: unsupported definition of the response 200: a reference cannot be resolved";
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn each_item_of_a_stream_is_checked() {
    let event = json!({ "type": "object", "required": ["data"], "properties": { "data": { "type": "integer" } } });
    let note = json!({ "type": "object", "properties": { "data": { "type": "string" } } });
    let document = document(
        json!({ "paths": { "/a": { "get": { "responses": { "200": { "content": {
        "text/event-stream": { "itemSchema": event },
        "application/jsonl": { "x-item-schema": { "type": "integer" } },
        "multipart/mixed": { "itemSchema": note }
    } } } } } } }),
    );
    let operations = [OperationInfo::new("a", crate::Method::Get, "/a")];
    let validator = ResponseValidator::new(document, &operations).unwrap();
    for (media_type, body, expected) in [
        (
            "text/event-stream",
            "data: 1\n\n: b\n\nid: 2\ndata: 2\n\n",
            "",
        ),
        (
            "text/event-stream",
            "data: 1\n\ndata: x\n\n",
            "item 2 /data must be an integer",
        ),
        ("application/jsonl", "1\n2", ""),
        (
            "application/jsonl",
            "1\n\"a\"\n",
            "item 2 must be an integer",
        ),
        (
            "application/jsonl",
            "1\n{",
            "body the stream ends within an item",
        ),
        (
            "application/jsonl",
            "x\n",
            "item 1 is not JSON: expected value at line 1 column 1",
        ),
        (
            "multipart/mixed",
            "",
            "body the media type has no `boundary`",
        ),
    ] {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(media_type))]);
        let checked = validator.check(0, StatusCode::OK, &headers, body.as_bytes());
        let problems = checked.err().unwrap_or_default();
        let problems = problems
            .iter()
            .map(|it| format!("{} {}", it.part.trim_end(), it.message));
        assert_eq!(
            problems.collect::<Vec<_>>().join("; "),
            expected,
            "{media_type} {body:?}"
        );
    }
}
