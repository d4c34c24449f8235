//! Tests of `decoder`.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::routes::{Route, Routes};
use crate::tests::{CHANGE, CREATE, DECODER, LIST, OPERATIONS, document, rows};

/// The decoded headers of listWidgets, or the message of their rejection.
fn decode_headers(pairs: &[(&str, &[u8])]) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    match DECODER.decode_parameters(LIST, &PathParameters::default(), None, &headers) {
        Ok(parameters) => format!("{:?}", parameters.0[Location::Header as usize]),
        Err(rejection) => rejection.to_string(),
    }
}

#[test]
fn uses_defaults_for_absent_parameters() {
    let path = PathParameters::default();
    let parameters = DECODER.decode_parameters(LIST, &path, None, &HeaderMap::new());
    assert_eq!(
        parameters.unwrap().0[Location::Query as usize],
        [("limit", json!(20))]
    );
}

#[test]
fn decodes_headers_without_percent_decoding() {
    assert_eq!(decode_headers(&[]), "[]");
    assert_eq!(
        decode_headers(&[("x-trace", b"a%20b")]),
        r#"[("X-Trace", String("a%20b"))]"#
    );
    assert_eq!(
        decode_headers(&[("x-list", b"1, 2,3")]),
        r#"[("X-List", Array [Number(1), Number(2), Number(3)])]"#
    );
}

#[test]
fn ignores_undeclared_and_reserved_headers() {
    let found = decode_headers(&[("x-other", b"\xff"), ("accept", b"x")]);
    assert_eq!(found, "[]");
}

#[test]
fn header_of_the_operation_replaces_that_of_the_path_item() {
    assert_eq!(
        decode_headers(&[("x-trace", b"abcdefgh")]),
        r#"[("X-Trace", String("abcdefgh"))]"#,
        "the path item allows 5 characters only"
    );
    assert_eq!(
        decode_headers(&[("x-trace", b"abcdefghi")]),
        r#"header "X-Trace" must be at most 8 characters long"#
    );
}

#[test]
fn rejects_repeated_and_non_ascii_headers() {
    assert_eq!(
        decode_headers(&[("x-trace", b"a"), ("x-trace", b"b")]),
        r#"header "X-Trace" must be given once, got 2 values"#
    );
    assert_eq!(
        decode_headers(&[("x-trace", b"\xc3\xa9")]),
        r#"header "X-Trace" must be visible ASCII characters"#
    );
}

#[test]
fn decodes_path_parameters_after_routing() {
    const TABLE: &str = r#"
        /widgets/a%2Fb?dry=true -> [("widgetId", String("a/b"))]
        /widgets/a+b?dry=true   -> [("widgetId", String("a+b"))]
        /widgets/%ff?dry=true   -> path parameter "widgetId" is not UTF-8
        /widgets/abcde?dry=true -> path parameter "widgetId" must be at most 4 characters long
        /widgets/a?             -> query parameter "dry" is required
    "#;
    let routes = Routes::new(&OPERATIONS).unwrap();
    for (target, expected) in rows(TABLE) {
        let (path, query) = target.split_once('?').unwrap();
        let Route::Found {
            operation: CHANGE,
            parameters,
        } = routes.find(&Method::PATCH, path)
        else {
            panic!("{path} has no route");
        };
        let query = Some(query);
        let found = match DECODER.decode_parameters(CHANGE, &parameters, query, &HeaderMap::new()) {
            Ok(parameters) => format!("{:?}", parameters.0[Location::Path as usize]),
            Err(rejection) => rejection.to_string(),
        };
        assert_eq!(found, expected, "{target}");
    }
}

#[test]
fn rejects_unsupported_definitions() {
    static TABLE: [OperationInfo; 1] = [OperationInfo::new("x", crate::Method::Get, "/x")];
    let nowhere = json!({ "$ref": "#/nowhere" });
    for (definition, expected) in [
        (
            json!({ "parameters": [{ "name": "q", "in": "query", "schema": nowhere }] }),
            "x: unsupported definition of the query parameter \"q\": cannot resolve the reference `#/nowhere`",
        ),
        (
            json!({ "requestBody": nowhere }),
            "x: unsupported definition of the request body: a reference cannot be resolved",
        ),
    ] {
        let document = document(json!({ "paths": { "/x": { "get": definition } } }));
        let error = Decoder::new(document, &TABLE).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let error = Decoder::new(document(json!({ "paths": {} })), &TABLE).unwrap_err();
    assert_eq!(error.to_string(), "the document has no operation x");
}

proptest! {
    #[test]
    fn decoding_any_request_does_not_panic(
        path in "/widgets/[%0-9a-fA-F\\PC]{0,30}",
        query in "[a-zA-Z0-9%&=+,|. \\PC]{0,60}",
        (name, value) in ("limit|after|ratio|ids|tags|words|pipes", "[0-9%eE+.,\\-\\PC]{0,30}"),
        header in prop::collection::vec(any::<u8>(), 0..40),
        (bytes, json) in (prop::collection::vec(any::<u8>(), 0..60), "[\\[\\]{}\",:0-9eE.+\\-ntrufalse\\\\ ]{0,60}"),
    ) {
        let mut headers = HeaderMap::new();
        if let Ok(value) = HeaderValue::from_bytes(&header) {
            headers.insert("x-list", value.clone());
            headers.insert(CONTENT_TYPE, value);
        }
        let routes = Routes::new(&OPERATIONS).unwrap();
        if let Route::Found { operation, parameters } = routes.find(&Method::PATCH, &path) {
            let _ = DECODER.decode_parameters(operation, &parameters, None, &headers);
        }
        for query in [query, format!("{name}={value}")] {
            let path = PathParameters::default();
            let _ = DECODER.decode_parameters(LIST, &path, Some(&query), &headers);
        }
        let _ = DECODER.select_media_type(CREATE, &headers);
        let media_type = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, media_type)]);
        let selected = DECODER.select_media_type(CREATE, &headers).unwrap();
        for body in [&bytes[..], json.as_bytes()] {
            let _ = DECODER.decode_body(CREATE, selected, body);
        }
    }
}
