//! Tests of the validation of bodies.

use super::tests::decode_widget;
use crate::tests::rows;

/// The result of decoding a valid widget with additional members.
fn decode_with(members: &str) -> String {
    decode_widget(&format!(r#"{{"name":"a","secret":"s",{members}}}"#))
}

#[test]
fn rejects_values_that_do_not_fit_their_schemas() {
    const TABLE: &str = r#"
        "size":1                  -> /size: is not a known property
        "~/":1                    -> /~0~1: is not a known property
        "a/b":1                   -> /a~1b: must be a boolean
        "colour":"blue"           -> /colour: must be one of "red", "green"
        "colour":null             -> /colour: must be one of "red", "green"
        "maybe":"y"               -> /maybe: must be one of "x", null
        "other":"blue"            -> /other: must be one of "red", "green"
        "other":1                 -> /other: must be one of "red", "green"
        "count":10                -> /count: must be less than 10
        "count":1.0               -> /count: must be an integer
        "count":99999999999999999999 -> /count: must be less than 10
        "id":99999999999999999999 -> /id: must be at most 9223372036854775807
        "byte":256                -> /byte: must be at most 255
        "when":"2026-11-21"       -> /when: must be a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z
        "key":"1-2"               -> /key: must be a UUID
        "code":"a"                -> /code: must match the pattern ^[A-Z]{2}$
        "list":[]                 -> /list: must have at least 1 item
        "list":[5,5]              -> /list: must not contain the same item twice
        "list":[5,6]              -> /list/1: must be a multiple of 5
        "map":{"a":true,"b":true} -> /map: must have at most 1 property
        "map":{"a":1}             -> /map/a: must be a boolean
        "parts":[{"name":"b"}]    -> /parts/0/secret: is required
    "#;
    for (members, expected) in rows(TABLE) {
        assert_eq!(decode_with(members), expected, "{members}");
    }
    let long = decode_with(&format!(r#""{}":1"#, "x".repeat(100)));
    let truncated = format!("/{}…: is not a known property", "x".repeat(60));
    assert_eq!(long, truncated);
}

#[test]
fn accepts_values_that_fit_their_schemas() {
    let accepted = [
        r#""maybe":null"#,
        r#""other":null"#,
        r#""other":"red""#,
        r#""byte":255"#,
        r#""when":"2026-11-21T12:00:00.5+01:00""#,
        r#""key":"67e55044-10b1-426f-9247-bb680e5fe0c8""#,
        r#""parts":[{"name":"b","secret":"s","parts":[]}]"#,
        r#""id":1"#,
    ];
    for members in accepted {
        let found = decode_with(members);
        assert!(found.starts_with('{'), "{members}: {found}");
    }
}

#[test]
fn reports_several_problems_up_to_the_maximum() {
    assert_eq!(decode_widget("[]"), r#""": must be an object"#);
    let missing = decode_widget("{}");
    assert_eq!(missing, "/name: is required; /secret: is required");
    let many = decode_widget(r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#);
    assert_eq!(many.split("; ").count(), crate::MAX_PROBLEMS, "{many}");
}
