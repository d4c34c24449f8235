#![allow(clippy::unwrap_used)]

use http::{HeaderName, HeaderValue, Method};
use serde_json::json;

use super::*;
use crate::example::{CHANGE, DECODER, LIST, OPERATIONS, document, operation};
use crate::routes::{Route, Routes};

/// Names and values as they come.
type Sent<'a> = &'a [(&'a str, &'a [u8])];

fn headers(pairs: Sent<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

#[test]
fn defaults_are_filled_in() {
    let path = PathParameters::default();
    let parameters = DECODER.parameters(LIST, &path, None, &HeaderMap::new());
    assert_eq!(parameters.unwrap().query.0, [("limit", json!(20))]);
}

#[test]
fn headers_are_read_by_their_schemas() {
    let rows: [(Sent<'_>, &str, &str); 9] = [
        (&[], "[]", "none is needed"),
        (
            &[("x-trace", b"abcdefgh")],
            r#"[("X-Trace", String("abcdefgh"))]"#,
            "any case; the operation's own bound",
        ),
        (
            &[("x-trace", b"a%20b")],
            r#"[("X-Trace", String("a%20b"))]"#,
            "headers are not encoded",
        ),
        (
            &[("x-list", b"1, 2,3")],
            r#"[("X-List", Array [Number(1), Number(2), Number(3)])]"#,
            "a list",
        ),
        (
            &[("x-other", b"\xff")],
            "[]",
            "what is not declared is not looked at",
        ),
        (
            &[("accept", b"x")],
            "[]",
            "parameters of reserved names are ignored",
        ),
        (
            &[("x-trace", b"abcdefghi")],
            r#"header "X-Trace" must be at most 8 characters long"#,
            "too long",
        ),
        (
            &[("x-trace", b"a"), ("x-trace", b"b")],
            r#"header "X-Trace" must be given once, got it 2 times"#,
            "twice",
        ),
        (
            &[("x-trace", b"\xc3\xa9")],
            r#"header "X-Trace" must be visible ASCII characters"#,
            "not ASCII",
        ),
    ];
    for (sent, expected, reason) in rows {
        let path = PathParameters::default();
        let found = match DECODER.parameters(LIST, &path, None, &headers(sent)) {
            Ok(parameters) => format!("{:?}", parameters.headers.0),
            Err(rejection) => rejection.to_string(),
        };
        assert_eq!(found, expected, "{reason}");
    }
}

#[test]
fn path_parameters_are_decoded_after_matching() {
    let rows = [
        (
            "/things/a%2Fb?dry=true",
            r#"[("thingId", String("a/b"))]"#,
            "an escaped slash",
        ),
        (
            "/things/a+b?dry=true",
            r#"[("thingId", String("a+b"))]"#,
            "plus is itself in a path",
        ),
        (
            "/things/%ff?dry=true",
            r#"path parameter "thingId" is not UTF-8"#,
            "no text",
        ),
        (
            "/things/abcde?dry=true",
            r#"path parameter "thingId" must be at most 4 characters long"#,
            "too long",
        ),
        (
            "/things/a",
            r#"query parameter "dry" is required"#,
            "a required parameter of the query",
        ),
    ];
    let routes = Routes::new(&OPERATIONS).unwrap();
    for (sent, expected, reason) in rows {
        let (path, query) = match sent.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (sent, None),
        };
        let Route::Found {
            operation,
            parameters,
        } = routes.find(&Method::PATCH, path)
        else {
            panic!("{path} is routed");
        };
        assert_eq!(operation, CHANGE);
        let found = match DECODER.parameters(CHANGE, &parameters, query, &HeaderMap::new()) {
            Ok(parameters) => format!("{:?}", parameters.path.0),
            Err(rejection) => rejection.to_string(),
        };
        assert_eq!(found, expected, "{sent}: {reason}");
    }
}

#[test]
fn what_could_not_be_decoded_is_refused_at_the_start() {
    static TABLE: [OperationInfo; 1] = [operation("x", crate::Method::Get, "/x")];
    let query = |schema: Value, style: Value| json!({ "parameters": [{ "name": "q", "in": "query", "schema": schema, "style": style }] });
    let string = || json!({ "type": "string" });
    let place = "x: the parameter at /paths/~1x/get/parameters/0 is unusable";
    let rows = [
        (
            query(json!({ "type": "object" }), json!("deepObject")),
            place,
            "style deepObject of a query parameter is not supported",
        ),
        (
            query(json!({ "type": "object" }), Value::Null),
            place,
            "only strings, numbers, booleans and arrays of them can be read from a text",
        ),
        (
            query(json!({ "$ref": "#/nowhere" }), Value::Null),
            place,
            "cannot resolve the reference `#/nowhere`",
        ),
        (
            json!({ "parameters": [{ "name": "q", "in": "cookie", "schema": string() }] }),
            place,
            "it needs `name`, `in` (path, query or header) and `schema`",
        ),
        (
            json!({ "parameters": [{ "name": "q", "in": "query", "content": {} }] }),
            place,
            "it needs `name`, `in` (path, query or header) and `schema`",
        ),
        (
            json!({ "requestBody": { "content": { "text/plain": {} } } }),
            "x: the request body is unusable",
            "bodies of type text/plain cannot be read; only JSON can",
        ),
        (
            query(
                json!({ "type": "integer", "maximum": 1, "default": 2 }),
                json!("form"),
            ),
            place,
            "its default must be at most 1, got 2",
        ),
        (
            json!({ "requestBody": { "content": {} } }),
            "x: the request body is unusable",
            "it declares no content",
        ),
    ];
    for (operation, expected, source) in rows {
        let document = document(json!({ "paths": { "/x": { "get": operation } } }));
        let error = Decoder::new(document, &TABLE).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            source
        );
    }
    let empty = document(json!({ "paths": {} }));
    let error = Decoder::new(empty, &TABLE).unwrap_err();
    assert_eq!(error.to_string(), "the document has no operation x");
    let pattern = query(json!({ "type": "string", "pattern": "(" }), Value::Null);
    let document = document(json!({ "paths": { "/x": { "get": pattern } } }));
    assert_eq!(
        Decoder::new(document, &TABLE).unwrap_err().to_string(),
        place
    );
}
