#![allow(clippy::unwrap_used)]

use http::{HeaderName, HeaderValue, Method};
use serde_json::json;

use super::*;
use crate::example::{CHANGE, DECODER, LIST, OPERATIONS, document, operation};
use crate::routes::{Route, Routes};

fn headers(pairs: &[(&str, &[u8])]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

/// The query of listThings as JSON (without the default of `limit`), or the sentence that refuses it.
fn query(query: &str) -> String {
    let path = PathParameters::default();
    match DECODER.parameters(LIST, &path, Some(query), &HeaderMap::new()) {
        Err(rejection) => rejection.to_string(),
        Ok(parameters) => {
            let pairs = parameters.query.0.into_iter();
            let object: serde_json::Map<_, _> = pairs
                .map(|(name, value)| (name.to_owned(), value))
                .filter(|(name, value)| name != "limit" || *value != json!(20))
                .collect();
            Value::Object(object).to_string()
        }
    }
}

#[test]
fn queries_are_read_by_their_schemas() {
    let rows = [
        ("", r#"{}"#, "nothing"),
        ("&&", r#"{}"#, "empty pairs are nothing"),
        ("limit=7", r#"{"limit":7}"#, "an integer"),
        (
            "after=9223372036854775807",
            r#"{"after":9223372036854775807}"#,
            "the last of 64 bits",
        ),
        (
            "huge=18446744073709551615",
            r#"{"huge":18446744073709551615}"#,
            "without a sign one more bit",
        ),
        (
            "small=-2147483648",
            r#"{"small":-2147483648}"#,
            "the first of 32 bits",
        ),
        (
            "ratio=2.5e1",
            r#"{"ratio":25.0}"#,
            "a number as JSON spells it",
        ),
        ("open=true", r#"{"open":true}"#, "a boolean"),
        ("colour=red", r#"{"colour":"red"}"#, "through a reference"),
        (
            "name=a+b%2Bc%C3%A9",
            r#"{"name":"a b+cé"}"#,
            "plus is a space, the rest is decoded",
        ),
        ("n%61me=x", r#"{"name":"x"}"#, "names are decoded too"),
        (
            "name=a=b",
            r#"{"name":"a=b"}"#,
            "only the first = separates",
        ),
        (
            "name=12",
            r#"{"name":"12"}"#,
            "a string of digits is a string",
        ),
        ("any=12", r#"{"any":12}"#, "the narrowest alternative"),
        ("any=ab", r#"{"any":"ab"}"#, "the other alternative"),
        (
            "since=2026-11-21T12:00:00Z",
            r#"{"since":"2026-11-21T12:00:00Z"}"#,
            "a real format",
        ),
        (
            "ids=3&ids=1",
            r#"{"ids":[3,1]}"#,
            "repetition makes an array, in order",
        ),
        ("ids=3", r#"{"ids":[3]}"#, "of one item too"),
        (
            "tags=a,b%2Cc,",
            r#"{"tags":["a","b,c",""]}"#,
            "commas separate before they are decoded",
        ),
        (
            "tags=",
            r#"{"tags":[]}"#,
            "nothing between separators is no item",
        ),
        (
            "words=a%20b+c%2B",
            r#"{"words":["a","b","c+"]}"#,
            "spaces, however they are encoded",
        ),
        (
            "pipes=a|b%7Cc%7cd",
            r#"{"pipes":["a","b","c","d"]}"#,
            "pipes, however they are encoded",
        ),
    ];
    for (sent, expected, reason) in rows {
        assert_eq!(query(sent), expected, "{sent}: {reason}");
    }
}

#[test]
fn queries_that_do_not_fit_are_refused() {
    const ALL: &str =
        "after, any, colour, huge, ids, limit, name, open, pipes, ratio, since, small, tags, words";
    let unknown = format!(r#"query parameter "color" is not known; known are: {ALL}"#);
    let long = "x".repeat(100);
    let cut = format!(
        r#"query parameter "{}…" is not known; known are: {ALL}"#,
        "x".repeat(60)
    );
    let rows = [
        ("color=red", unknown.as_str(), "unknown"),
        (long.as_str(), cut.as_str(), "unknown and long"),
        (
            "limit=1000",
            r#"query parameter "limit" must be at most 100, got 1000"#,
            "past its bound",
        ),
        (
            "limit=0",
            r#"query parameter "limit" must be at least 1, got 0"#,
            "below its bound",
        ),
        (
            "limit=",
            r#"query parameter "limit" must be an integer, got an empty value"#,
            "empty",
        ),
        (
            "limit",
            r#"query parameter "limit" must be an integer, got an empty value"#,
            "bare",
        ),
        (
            "limit=+1",
            r#"query parameter "limit" must be an integer, got " 1""#,
            "plus is a space",
        ),
        (
            "limit=%2B1",
            r#"query parameter "limit" must be an integer, got "+1""#,
            "no plus sign",
        ),
        (
            "limit=01",
            r#"query parameter "limit" must be an integer, got "01""#,
            "no leading zero",
        ),
        (
            "limit=1.0",
            r#"query parameter "limit" must be an integer, got "1.0""#,
            "a fraction",
        ),
        (
            "limit=1e1",
            r#"query parameter "limit" must be an integer, got "1e1""#,
            "an exponent",
        ),
        (
            "limit=-",
            r#"query parameter "limit" must be an integer, got "-""#,
            "no digits",
        ),
        (
            "limit=%D9%A1",
            r#"query parameter "limit" must be an integer, got "١""#,
            "digits of another script",
        ),
        (
            "limit=99999999999999999999",
            r#"query parameter "limit" must be at most 100, got 99999999999999999999"#,
            "past 64 bits, but the bound is nearer",
        ),
        (
            "after=99999999999999999999",
            r#"query parameter "after" must be at most 9223372036854775807, got 99999999999999999999"#,
            "past its format",
        ),
        (
            "after=9223372036854775808",
            r#"query parameter "after" must be at most 9223372036854775807, got 9223372036854775808"#,
            "past its format by one",
        ),
        (
            "after=-99999999999999999999",
            r#"query parameter "after" must be at least 1, got -99999999999999999999"#,
            "past it downwards",
        ),
        (
            "huge=-1",
            r#"query parameter "huge" must be at least 0, got -1"#,
            "a sign",
        ),
        (
            "huge=18446744073709551616",
            r#"query parameter "huge" must be an integer of at most 64 bits, got 18446744073709551616"#,
            "past every integer",
        ),
        (
            "small=2147483648",
            r#"query parameter "small" must be at most 2147483647, got 2147483648"#,
            "past 32 bits",
        ),
        (
            "ratio=0",
            r#"query parameter "ratio" must be greater than 0, got 0"#,
            "an excluded bound",
        ),
        (
            "ratio=.5",
            r#"query parameter "ratio" must be a number, got ".5""#,
            "not as JSON spells it",
        ),
        (
            "ratio=NaN",
            r#"query parameter "ratio" must be a number, got "NaN""#,
            "no number",
        ),
        (
            "ratio=1e999",
            r#"query parameter "ratio" must be a number, got "1e999""#,
            "past every number",
        ),
        (
            "open=True",
            r#"query parameter "open" must be a boolean (true or false), got "True""#,
            "case matters",
        ),
        (
            "colour=blue",
            r#"query parameter "colour" must be one of "red", "green", got "blue""#,
            "not in the list",
        ),
        (
            "name=",
            r#"query parameter "name" must be at least 1 character long"#,
            "too short",
        ),
        (
            "since=yesterday",
            r#"query parameter "since" must be a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z, got "yesterday""#,
            "not the format",
        ),
        (
            "any=A1",
            r#"query parameter "any" must match the pattern ^[a-z]+$, got "A1""#,
            "neither alternative: the one of its type",
        ),
        (
            "limit=1&limit=2",
            r#"query parameter "limit" takes one value, got 2"#,
            "repeated",
        ),
        (
            "ids=1&ids=0",
            r#"query parameter "ids" item 2 must be at least 1, got 0"#,
            "one item",
        ),
        (
            "ids=1&ids=x",
            r#"query parameter "ids" item 2 must be an integer, got "x""#,
            "the type of one item",
        ),
        (
            "ids=1&ids=2&ids=3&ids=4",
            r#"query parameter "ids" must have at most 3 items"#,
            "too many",
        ),
        (
            "name=%zz",
            r#"query parameter "name" has a % that is not followed by two hexadecimal digits"#,
            "no escape",
        ),
        (
            "name=%",
            r#"query parameter "name" has a % that is not followed by two hexadecimal digits"#,
            "half an escape",
        ),
        (
            "name=%ff",
            r#"query parameter "name" is not UTF-8"#,
            "no text",
        ),
        (
            "%ff=1",
            "the name of a query parameter is not UTF-8",
            "no name",
        ),
    ];
    for (sent, expected, reason) in rows {
        assert_eq!(query(sent), expected, "{sent}: {reason}");
    }
}

#[test]
fn defaults_are_filled_in() {
    let path = PathParameters::default();
    let parameters = DECODER.parameters(LIST, &path, None, &HeaderMap::new());
    assert_eq!(parameters.unwrap().query.0, [("limit", json!(20))]);
}

#[test]
fn headers_are_read_by_their_schemas() {
    let rows: [(&[(&str, &[u8])], &str, &str); 9] = [
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
            "the reference #/nowhere leads nowhere",
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
