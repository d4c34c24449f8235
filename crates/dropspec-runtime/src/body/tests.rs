//! Tests of `body`.

use http::HeaderValue;
use http::header::CONTENT_TYPE;

use super::*;
use crate::tests::{CHANGE, CREATE, DECODER, LIST, rows};

fn with_content_type(values: &[&'static str]) -> HeaderMap {
    let values = values.iter().map(|value| HeaderValue::from_static(value));
    let mut headers = HeaderMap::new();
    values.for_each(|value| {
        headers.append(CONTENT_TYPE, value);
    });
    headers
}

/// The decoded body as JSON, `no body`, or the message of its rejection.
fn decode(operation: usize, headers: &HeaderMap, bytes: &[u8]) -> String {
    let media_type = DECODER.select_media_type(operation, headers);
    match media_type.and_then(|media_type| DECODER.decode_body(operation, media_type, bytes)) {
        Ok(body) => body.value().map_or("no body".to_owned(), Value::to_string),
        Err(rejection) => rejection.to_string(),
    }
}

/// The result of decoding a JSON body of createWidget.
pub(super) fn decode_widget(body: &str) -> String {
    let headers = with_content_type(&["application/json"]);
    decode(CREATE, &headers, body.as_bytes())
}

#[test]
fn matches_content_types() {
    const WIDGET: &str = r#"{"name":"a","secret":"s"}"#;
    const TABLE: &str = r#"
        application/json                        -> {"name":"a","secret":"s"}
        Application/JSON; Charset="UTF-8"       -> {"name":"a","secret":"s"}
        application/json;profile=x              -> {"name":"a","secret":"s"}
        application/json; charset=latin1        -> the charset "latin1" is not supported, only utf-8 is
        text/plain                              -> the content type text/plain is not supported
        application/merge-patch+json            -> the content type application/merge-patch+json is not supported
        application/json, text/plain            -> the content type application/json, text/plain is not supported
        json                                    -> the content type is not a media type
                                                -> the content type is not a media type
        application/                            -> the content type is not a media type
    "#;
    for (content_type, expected) in rows(TABLE) {
        let found = decode(
            CREATE,
            &with_content_type(&[content_type]),
            WIDGET.as_bytes(),
        );
        let found = found.trim_end_matches("; send application/json");
        assert_eq!(found, expected, "{content_type}");
    }
    let repeated = with_content_type(&["application/json", "application/json"]);
    assert_eq!(
        decode(CREATE, &repeated, WIDGET.as_bytes()),
        "the content type is given twice; send application/json"
    );
    assert_eq!(
        decode(CREATE, &HeaderMap::new(), WIDGET.as_bytes()),
        "the content type is missing; send application/json"
    );
}

#[test]
fn rejects_announced_body_without_content_type() {
    let rows = [
        (CONTENT_LENGTH, "5", true),
        (TRANSFER_ENCODING, "chunked", true),
        (CONTENT_LENGTH, "0", false),
    ];
    for (name, value, is_rejected) in rows {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(value))]);
        let result = DECODER.select_media_type(CREATE, &headers);
        assert_eq!(result.is_err(), is_rejected, "{headers:?}");
    }
}

#[test]
fn requires_a_body_only_where_the_document_does() {
    let none = HeaderMap::new();
    let json = with_content_type(&["application/json"]);
    let patch = with_content_type(&["application/merge-patch+json"]);
    let text = with_content_type(&["text/plain"]);
    assert_eq!(decode(CREATE, &none, b""), "a body is required");
    assert_eq!(decode(CREATE, &json, b""), "a body is required");
    assert_eq!(decode(CHANGE, &none, b""), "no body");
    assert_eq!(decode(CHANGE, &patch, b""), "no body");
    assert_eq!(decode(CHANGE, &patch, b"{}"), "{}");
    assert_eq!(decode(CHANGE, &patch, b"null"), r#""": must be an object"#);
    assert_eq!(
        decode(LIST, &text, b"x"),
        "no body",
        "the operation has none"
    );
    assert!(!DECODER.expects_body(LIST));
    assert!(DECODER.expects_body(CREATE));
}

#[test]
fn parses_json_strictly() {
    const TABLE: &str = r#"
        {                                -> EOF while parsing an object at line 1 column 1
        {"name": x}                      -> expected value at line 1 column 10
        {"name":"a"} {}                  -> trailing characters at line 1 column 14
        {"name":"a","name":"b"}          -> duplicate member "name" at line 1 column 18
        {"map":{"a":true,"\u0061":true}} -> duplicate member "a" at line 1 column 25
        {"name":NaN}                     -> expected value at line 1 column 9
        {"name":1e999}                   -> number out of range at line 1 column 13
    "#;
    for (body, expected) in rows(TABLE) {
        let expected = format!("the body is not valid JSON: {expected}");
        assert_eq!(decode_widget(body), expected, "{body}");
    }
    let deep = decode_widget(&"[".repeat(10_000));
    assert!(deep.contains("recursion limit exceeded"), "{deep}");
    let byte_order_mark = decode_widget("\u{feff}{}");
    assert!(
        byte_order_mark.contains("expected value"),
        "{byte_order_mark}"
    );
    let headers = with_content_type(&["application/json"]);
    let not_utf8 = decode(CREATE, &headers, b"\"\xff\"");
    assert!(not_utf8.contains("invalid unicode"), "{not_utf8}");
}
