use super::tests::create;

/// A thing that is right but for these members.
fn thing(members: &str) -> String {
    create(&format!(r#"{{"name":"a","secret":"s",{members}}}"#))
}

#[test]
fn members_are_checked() {
    let long = format!(r#""{}":1"#, "x".repeat(100));
    let cut = format!("/{}…: is not a known property", "x".repeat(60));
    let rows = [
        (r#""size":1"#, "/size: is not a known property", "unknown"),
        (long.as_str(), cut.as_str(), "unknown and long"),
        (
            r#""~/":1"#,
            "/~0~1: is not a known property",
            "pointers are escaped",
        ),
        (r#""a/b":1"#, "/a~1b: must be a boolean", "in both places"),
        (
            r#""colour":"blue""#,
            r#"/colour: must be one of "red", "green""#,
            "through a reference",
        ),
        (
            r#""maybe":"y""#,
            r#"/maybe: must be one of "x", null"#,
            "nullable beside an enumeration",
        ),
        (
            r#""other":"blue""#,
            r#"/other: must be one of "red", "green""#,
            "nullable beside a reference",
        ),
        (
            r#""other":1"#,
            r#"/other: must be one of "red", "green""#,
            "nullable, but of another type",
        ),
        (
            r#""count":10"#,
            "/count: must be less than 10",
            "an excluded bound",
        ),
        (r#""count":1.0"#, "/count: must be an integer", "a fraction"),
        (
            r#""count":99999999999999999999"#,
            "/count: must be less than 10",
            "past 64 bits",
        ),
        (
            r#""id":99999999999999999999"#,
            "/id: must be at most 9223372036854775807",
            "past its format",
        ),
        (
            r#""byte":256"#,
            "/byte: must be at most 255",
            "a format of 8 bits",
        ),
        (
            r#""when":"2026-11-21""#,
            "/when: must be a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z",
            "a format",
        ),
        (
            r#""key":"1-2""#,
            "/key: must be a UUID",
            "a format that draft 4 does not know",
        ),
        (
            r#""code":"a""#,
            "/code: must match the pattern ^[A-Z]{2}$",
            "a pattern",
        ),
        (
            r#""list":[]"#,
            "/list: must have at least 1 item",
            "too few",
        ),
        (
            r#""list":[5,5]"#,
            "/list: must have no item twice",
            "not unique",
        ),
        (
            r#""list":[5,6]"#,
            "/list/1: must be a multiple of 5",
            "one item",
        ),
        (
            r#""map":{"a":true,"b":true}"#,
            "/map: must have at most 1 property",
            "too many",
        ),
        (
            r#""map":{"a":1}"#,
            "/map/a: must be a boolean",
            "a value of a map",
        ),
        (
            r#""parts":[{"name":"b"}]"#,
            "/parts/0/secret: is required",
            "through a circle",
        ),
        (
            r#""colour":null"#,
            r#"/colour: must be one of "red", "green""#,
            "not nullable",
        ),
    ];
    for (members, expected, reason) in rows {
        let found = thing(members);
        assert_eq!(found, expected, "{members}: {reason}");
    }
}

#[test]
fn members_that_fit_pass() {
    let rows = [
        (r#""maybe":null"#, "nullable beside an enumeration"),
        (r#""other":null"#, "nullable beside a reference"),
        (r#""other":"red""#, "and its other values"),
        (r#""byte":255"#, "the last of 8 bits"),
        (r#""when":"2026-11-21T12:00:00.5+01:00""#, "an offset"),
        (r#""key":"67e55044-10b1-426f-9247-bb680e5fe0c8""#, "a UUID"),
        (
            r#""parts":[{"name":"b","secret":"s","parts":[]}]"#,
            "through a circle",
        ),
        (r#""id":1"#, "what is only read may be sent"),
    ];
    for (members, reason) in rows {
        assert!(
            thing(members).starts_with('{'),
            "{members}: {reason}: {}",
            thing(members)
        );
    }
}

#[test]
fn several_problems_are_told_at_once() {
    assert_eq!(create("[]"), r#""": must be an object"#);
    assert_eq!(create("{}"), "/name: is required; /secret: is required");
    let found = create(r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#);
    assert_eq!(found.split("; ").count(), crate::MAX_PROBLEMS, "{found}");
}
