use serde_json::json;

use super::*;
use crate::example::{DECODER, LIST};

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
