//! Tests of query parameters.

use serde_json::json;

use super::*;
use crate::tests::{DECODER, LIST, rows};

/// The decoded query of listWidgets as JSON, without the default of `limit`; or the message of its rejection.
fn decode_query(query: &str) -> String {
    let path = PathParameters::default();
    match DECODER.decode_parameters(LIST, &path, Some(query), &HeaderMap::new()) {
        Err(rejection) => rejection.to_string(),
        Ok(parameters) => {
            let pairs = parameters.0[Location::Query as usize].clone().into_iter();
            let object: serde_json::Map<_, _> = pairs
                .map(|(name, value)| (name.to_owned(), value))
                .filter(|(name, value)| name != "limit" || *value != json!(20))
                .collect();
            Value::Object(object).to_string()
        }
    }
}

#[test]
fn decodes_query_parameters_by_their_schemas() {
    const TABLE: &str = r#"
                                 -> {}
        &&                       -> {}
        limit=7                  -> {"limit":7}
        after=9223372036854775807 -> {"after":9223372036854775807}
        huge=18446744073709551615 -> {"huge":18446744073709551615}
        small=-2147483648        -> {"small":-2147483648}
        ratio=2.5e1              -> {"ratio":25.0}
        open=true                -> {"open":true}
        colour=red               -> {"colour":"red"}
        name=a+b%2Bc%C3%A9       -> {"name":"a b+cé"}
        n%61me=x                 -> {"name":"x"}
        name=a=b                 -> {"name":"a=b"}
        name=12                  -> {"name":"12"}
        any=12                   -> {"any":12}
        any=ab                   -> {"any":"ab"}
        since=2026-11-21T12:00:00Z -> {"since":"2026-11-21T12:00:00Z"}
    "#;
    for (query, expected) in rows(TABLE) {
        assert_eq!(decode_query(query), expected, "{query}");
    }
}

#[test]
fn splits_arrays_by_style_before_decoding_the_items() {
    const TABLE: &str = r#"
        ids=3&ids=1              -> {"ids":[3,1]}
        ids=3                    -> {"ids":[3]}
        tags=a,b%2Cc,            -> {"tags":["a","b,c",""]}
        tags=                    -> {"tags":[]}
        words=a%20b+c%2B         -> {"words":["a","b","c+"]}
        pipes=a|b%7Cc%7cd        -> {"pipes":["a","b","c","d"]}
    "#;
    for (query, expected) in rows(TABLE) {
        assert_eq!(decode_query(query), expected, "{query}");
    }
}

#[test]
fn rejects_values_that_do_not_fit_their_schemas() {
    const TABLE: &str = r#"
        limit=1000   -> "limit" must be at most 100, got 1000
        limit=0      -> "limit" must be at least 1, got 0
        limit=       -> "limit" must be an integer, got an empty value
        limit        -> "limit" must be an integer, got an empty value
        limit=+1     -> "limit" must be an integer, got " 1"
        limit=%2B1   -> "limit" must be an integer, got "+1"
        limit=01     -> "limit" must be an integer, got "01"
        limit=1.0    -> "limit" must be an integer, got "1.0"
        limit=1e1    -> "limit" must be an integer, got "1e1"
        limit=-      -> "limit" must be an integer, got "-"
        limit=%D9%A1 -> "limit" must be an integer, got "١"
        ratio=0      -> "ratio" must be greater than 0, got 0
        ratio=.5     -> "ratio" must be a number, got ".5"
        ratio=NaN    -> "ratio" must be a number, got "NaN"
        ratio=1e999  -> "ratio" must be a number, got "1e999"
        open=True    -> "open" must be a boolean (true or false), got "True"
        colour=blue  -> "colour" must be one of "red", "green", got "blue"
        name=        -> "name" must be at least 1 character long
        since=today  -> "since" must be a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z, got "today"
        any=A1       -> "any" must match the pattern ^[a-z]+$, got "A1"
        limit=1&limit=2 -> "limit" must be given once, got 2 values
        ids=1&ids=0  -> "ids" item 2 must be at least 1, got 0
        ids=1&ids=x  -> "ids" item 2 must be an integer, got "x"
        ids=1&ids=2&ids=3&ids=4 -> "ids" must have at most 3 items
        name=%zz     -> "name" has a % that is not followed by two hexadecimal digits
        name=%       -> "name" has a % that is not followed by two hexadecimal digits
        name=%ff     -> "name" is not UTF-8
    "#;
    for (query, expected) in rows(TABLE) {
        let expected = format!("query parameter {expected}");
        assert_eq!(decode_query(query), expected, "{query}");
    }
    let found = decode_query("%ff=1");
    assert_eq!(found, "the name of a query parameter is not UTF-8");
}

#[test]
fn rejects_integers_outside_of_their_format() {
    const TABLE: &str = r#"
        limit=99999999999999999999  -> "limit" must be at most 100, got 99999999999999999999
        after=99999999999999999999  -> "after" must be at most 9223372036854775807, got 99999999999999999999
        after=9223372036854775808   -> "after" must be at most 9223372036854775807, got 9223372036854775808
        after=-99999999999999999999 -> "after" must be at least 1, got -99999999999999999999
        huge=-1                     -> "huge" must be at least 0, got -1
        huge=18446744073709551616   -> "huge" must be an integer of at most 64 bits, got 18446744073709551616
        small=2147483648            -> "small" must be at most 2147483647, got 2147483648
    "#;
    for (query, expected) in rows(TABLE) {
        let expected = format!("query parameter {expected}");
        assert_eq!(decode_query(query), expected, "{query}");
    }
}

#[test]
fn rejects_unknown_parameters_and_lists_the_known_ones() {
    const KNOWN: &str = "is unknown; known parameters: after, any, colour, huge, ids, limit, name, open, pipes, ratio, \
        since, small, tags, words";
    let expected = format!(r#"query parameter "color" {KNOWN}"#);
    assert_eq!(decode_query("color=red"), expected);
    let truncated = format!(r#"query parameter "{}…" {KNOWN}"#, "x".repeat(60));
    assert_eq!(decode_query(&"x".repeat(100)), truncated);
}
