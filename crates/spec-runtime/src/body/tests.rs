#![allow(clippy::unwrap_used)]

use http::HeaderValue;
use http::header::CONTENT_TYPE;

use super::*;
use crate::example::{CHANGE, CREATE, DECODER, LIST};

fn with_type(content_types: &[&'static str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for content_type in content_types {
        headers.append(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    headers
}

/// What becomes of a body: its JSON, nothing, or the sentence that refuses it.
fn read(operation: usize, headers: &HeaderMap, bytes: &[u8]) -> String {
    let media_type = DECODER.media_type(operation, headers);
    match media_type.and_then(|media_type| DECODER.body(operation, media_type, bytes)) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "nothing".to_owned(),
        Err(rejection) => rejection.to_string(),
    }
}

/// What becomes of a body of createThing.
pub(super) fn create(body: &str) -> String {
    read(CREATE, &with_type(&["application/json"]), body.as_bytes())
}

#[test]
fn content_types_are_matched() {
    const GOOD: &str = r#"{"name":"a","secret":"s"}"#;
    let rows: [(&[&str], &str, &str); 12] = [
        (&["application/json"], GOOD, "as declared"),
        (
            &["Application/JSON; Charset=\"UTF-8\""],
            GOOD,
            "in any case, with the only charset",
        ),
        (
            &["application/json;profile=x"],
            GOOD,
            "other parameters do not matter",
        ),
        (
            &["application/json; charset=latin1"],
            "the charset \"latin1\" is not supported, only utf-8 is; send application/json",
            "another charset",
        ),
        (
            &["text/plain"],
            "the content type text/plain is not supported; send application/json",
            "another type",
        ),
        (
            &["application/merge-patch+json"],
            "the content type application/merge-patch+json is not supported; send application/json",
            "JSON, but not declared",
        ),
        (
            &["application/json, text/plain"],
            "the content type application/json, text/plain is not supported; send application/json",
            "a list is no type",
        ),
        (
            &["json"],
            "the content type is not readable; send application/json",
            "no type",
        ),
        (
            &[""],
            "the content type is not readable; send application/json",
            "empty",
        ),
        (
            &["application/"],
            "the content type is not readable; send application/json",
            "half a type",
        ),
        (
            &["application/json", "application/json"],
            "the content type is given twice; send application/json",
            "twice",
        ),
        (
            &[],
            "the content type is missing; send application/json",
            "missing",
        ),
    ];
    for (sent, expected, reason) in rows {
        let found = read(CREATE, &with_type(sent), GOOD.as_bytes());
        assert_eq!(found, expected, "{sent:?}: {reason}");
    }
}

#[test]
fn a_missing_type_is_told_before_the_body_is_read() {
    let rows = [
        (CONTENT_LENGTH, "5", true, "a length"),
        (TRANSFER_ENCODING, "chunked", true, "an unknown length"),
        (CONTENT_LENGTH, "0", false, "nothing"),
    ];
    for (name, value, refused, reason) in rows {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        assert_eq!(
            DECODER.media_type(CREATE, &headers).is_err(),
            refused,
            "{reason}"
        );
    }
}

#[test]
fn bodies_are_needed_where_they_are_required() {
    let patch = with_type(&["application/merge-patch+json"]);
    let rows = [
        (CREATE, with_type(&[]), "", "a body is required", "required"),
        (
            CREATE,
            with_type(&["application/json"]),
            "",
            "a body is required",
            "a type is no body",
        ),
        (CHANGE, with_type(&[]), "", "nothing", "optional"),
        (
            CHANGE,
            patch.clone(),
            "",
            "nothing",
            "optional, with a type",
        ),
        (CHANGE, patch.clone(), "{}", "{}", "optional and sent"),
        (
            CHANGE,
            patch,
            "null",
            r#""": must be an object"#,
            "null is a body",
        ),
        (
            LIST,
            with_type(&["text/plain"]),
            "x",
            "nothing",
            "an operation without a body",
        ),
    ];
    for (operation, headers, body, expected, reason) in rows {
        assert_eq!(
            read(operation, &headers, body.as_bytes()),
            expected,
            "{reason}"
        );
    }
    assert!(!DECODER.expects_body(LIST));
    assert!(DECODER.expects_body(CREATE));
}

#[test]
fn json_is_read_strictly() {
    let deep = "[".repeat(10_000);
    let rows = [
        (
            "{",
            "the body is not valid JSON: EOF while parsing an object at line 1 column 1",
            "cut off",
        ),
        (
            "{\n \"name\": x}",
            "the body is not valid JSON: expected value at line 2 column 10",
            "the place is told",
        ),
        (
            r#"{"name":"a"} {}"#,
            "the body is not valid JSON: trailing characters at line 1 column 14",
            "more than one text",
        ),
        (
            r#"{"name":"a","name":"b"}"#,
            "the body is not valid JSON: \"name\" stands twice in one object at line 1 column 18",
            "a name twice",
        ),
        (
            r#"{"map":{"a":true,"\u0061":true}}"#,
            "the body is not valid JSON: \"a\" stands twice in one object at line 1 column 25",
            "twice within, spelled otherwise",
        ),
        (
            deep.as_str(),
            "the body is not valid JSON: recursion limit exceeded at line 1 column 128",
            "too deep",
        ),
        (
            "{\"name\":NaN}",
            "the body is not valid JSON: expected value at line 1 column 9",
            "no number",
        ),
        (
            "{\"name\":1e999}",
            "the body is not valid JSON: number out of range at line 1 column 13",
            "past every number",
        ),
        (
            "\u{feff}{}",
            "the body is not valid JSON: expected value at line 1 column 1",
            "a byte order mark",
        ),
    ];
    for (sent, expected, reason) in rows {
        assert_eq!(create(sent), expected, "{reason}");
    }
    let headers = with_type(&["application/json"]);
    let bytes = read(CREATE, &headers, b"\"\xff\"");
    assert!(
        bytes.starts_with("the body is not valid JSON: invalid unicode"),
        "{bytes}"
    );
}
