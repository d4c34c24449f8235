//! Property tests: decoding never panics, and agrees with an independent check of bounds.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use http::{HeaderMap, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use serde_json::json;
use spec_runtime::{
    DecodedBody, DecodedRequest, Decoder, Document, Method, OperationInfo, Rejection, Route, Routes,
};

static OPERATIONS: [OperationInfo; 2] = [
    OperationInfo::new("list", Method::Get, "/{id}"),
    OperationInfo::new("create", Method::Post, "/{id}"),
];
const LIST: usize = 0;
const CREATE: usize = 1;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let array = |style: &str, explode: bool| {
        json!({ "name": style, "in": "query", "style": style, "explode": explode,
                "schema": { "type": "array", "items": { "type": "string" } } })
    };
    let json = json!({
        "paths": { "/{id}": {
            "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
            "get": { "parameters": [
                array("form", true),
                array("spaceDelimited", false),
                array("pipeDelimited", false),
                { "name": "commas", "in": "query", "explode": false,
                  "schema": { "type": "array", "items": { "type": "string" } } },
                { "name": "bounded", "in": "query",
                  "schema": { "type": "integer", "minimum": -3, "maximum": 9, "exclusiveMaximum": true, "multipleOf": 2 } },
                { "name": "X-Numbers", "in": "header",
                  "schema": { "type": "array", "items": { "type": "integer" } } }
            ] },
            "post": { "requestBody": { "required": true, "content": { "application/json": { "schema": {
                "type": "object",
                "required": ["n"],
                "properties": { "n": { "type": "integer", "minimum": -3, "maximum": 9, "exclusiveMaximum": true, "multipleOf": 2 } }
            } } } } }
        } }
    });
    Document::from_json(Box::leak(json.to_string().into_boxed_str()))
});

static DECODER: LazyLock<Decoder> = LazyLock::new(|| Decoder::new(&DOCUMENT, &OPERATIONS).unwrap());
static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes::new(&OPERATIONS).unwrap());

fn decode(path: &str, query: &str, headers: &HeaderMap) -> Result<DecodedRequest, Rejection> {
    let Route::Found { parameters, .. } = ROUTES.find(&http::Method::GET, path) else {
        panic!("{path} has no route");
    };
    let parameters = DECODER.decode_parameters(LIST, &parameters, Some(query), headers)?;
    Ok(DecodedRequest::new(parameters, DecodedBody::default()))
}

fn body(bytes: &[u8]) -> Result<DecodedBody, Rejection> {
    let json = HeaderValue::from_static("application/json");
    let headers = HeaderMap::from_iter([(http::header::CONTENT_TYPE, json)]);
    let media_type = DECODER.select_media_type(CREATE, &headers)?;
    DECODER.decode_body(CREATE, media_type, bytes)
}

/// Whether a number fits the schema of `bounded` and `n`, checked independently.
fn fits(number: i128) -> bool {
    (-3..9).contains(&number) && number % 2 == 0
}

/// Numbers around the bounds, and around the ends of 64 bits.
fn numbers() -> impl Strategy<Value = i128> {
    let edge = i128::from(u64::MAX);
    prop_oneof![
        -20_i128..20,
        any::<i64>().prop_map(i128::from),
        edge - 3..edge + 3,
        -edge..edge
    ]
}

proptest! {
    #[test]
    fn decoding_any_request_does_not_panic(
        path in "/[%0-9a-fA-F\\PC]{0,30}",
        query in "[a-zA-Z0-9%&=+,|. \\PC]{0,60}",
        (name, value) in ("form|spaceDelimited|commas|bounded", "[0-9%eE+.,\\-\\PC]{0,30}"),
        header in prop::collection::vec(any::<u8>(), 0..40),
        (bytes, json) in (prop::collection::vec(any::<u8>(), 0..60), "[\\[\\]{}\",:0-9eE.+\\-ntrufalse\\\\ ]{0,60}"),
    ) {
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_bytes(&header) {
            headers.insert("x-numbers", value.clone());
            headers.insert(http::header::CONTENT_TYPE, value);
        }
        if let Route::Found { parameters, .. } = ROUTES.find(&http::Method::GET, &path) {
            let _ = DECODER.decode_parameters(LIST, &parameters, None, &HeaderMap::new());
        }
        let _ = decode("/x", &query, &HeaderMap::new());
        let _ = decode("/x", &format!("{name}={value}"), &headers);
        let _ = DECODER.select_media_type(CREATE, &headers);
        let _ = (body(&bytes), body(json.as_bytes()));
    }

    #[test]
    fn integer_is_accepted_if_within_its_bounds(number in numbers()) {
        let decoded = decode("/x", &format!("bounded={number}"), &HeaderMap::new());
        prop_assert_eq!(decoded.is_ok(), fits(number), "{:?}", decoded);
        let read = body(format!("{{\"n\":{number}}}").as_bytes());
        prop_assert_eq!(read.is_ok(), fits(number), "{:?}", read);
    }

    #[test]
    fn messages_truncate_long_values(text in "\\PC{200,400}") {
        let sent = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
        let Err(rejection) = decode("/x", &format!("bounded={sent}"), &HeaderMap::new()) else {
            panic!("a text of 200 characters is not an integer of 64 bits");
        };
        // JSON may escape each of the 60 quoted characters with up to six.
        prop_assert!(rejection.to_string().chars().count() < 500, "{}", rejection);
        prop_assert!(!rejection.to_string().contains(&text));
    }
}
