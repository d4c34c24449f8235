//! Tests of `request`.
use serde_json::json;

use super::*;
use crate::wire::parameter::Style;

#[test]
fn json_that_is_the_whole_query_has_no_name() {
    let parameter = Parameter::query("q").whole_query();
    let value = json!({ "a": "b&c=d+é" });
    let parts = encode_parameters("/", [(&parameter, &value)]).unwrap();
    assert_eq!(parts.query, "%7B%22a%22%3A%22b%26c%3Dd%2B%C3%A9%22%7D");
}

#[test]
fn parameters_become_path_query_headers_and_cookies() {
    let parameters = [
        (Parameter::path("id"), json!("a/b")),
        (
            Parameter::path("kind").style(Style::Label, false),
            json!([1, 2]),
        ),
        (Parameter::query("tag"), json!(["x", "y"])),
        (Parameter::query("filter").json(), json!({"a": [1]})),
        (Parameter::header("X-List"), json!([1, true])),
        (Parameter::header("X-Json").json(), json!({"ü": 1})),
        (Parameter::cookie("theme"), json!("dark blue")),
        (Parameter::cookie("sizes"), json!([1, 2])),
    ];
    let values = parameters
        .iter()
        .map(|(parameter, value)| (parameter, value));
    let parts = encode_parameters("/a/{id}/b{kind}.json", values).unwrap();
    assert_eq!(parts.path, "/a/a%2Fb/b.1.2.json");
    assert_eq!(parts.query, "tag=x&tag=y&filter=%7B%22a%22%3A%5B1%5D%7D");
    let headers = [("X-List", "1,true"), ("X-Json", r#"{"\u00fc":1}"#)];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(parts.headers, headers);
    assert_eq!(parts.cookies, "theme=dark%20blue; sizes=1; sizes=2");
}

#[test]
fn cookie_in_its_own_style_is_sent_as_it_is_or_not_at_all() {
    let parameter = Parameter::cookie("a").style(Style::Cookie, true);
    let encode = |value| encode_parameters("/", [(&parameter, &value)]).map(|it| it.cookies);
    assert_eq!(encode("50%/x==".into()).unwrap(), "a=50%/x==");
    assert_eq!(encode(json!({"b": 1, "c": "d"})).unwrap(), "b=1; c=d");
    for value in json!(["a b", "a;b", "a\"b", "ü", { "b; c": 1 }])
        .as_array()
        .unwrap()
    {
        let error = encode(value.clone()).unwrap_err();
        assert!(error.contains("a cookie cannot hold"), "{error}");
    }
}

#[test]
fn reserved_characters_and_encoded_slashes_stay_in_a_parameter_of_several_segments() {
    let encode = |parameter: Parameter<'_>, value| {
        let parts = encode_parameters("/v1/{+name}/x", [(&parameter, &value)]);
        parts.map(|parts| parts.path)
    };
    let name = Parameter::path("name");
    for (value, expected) in [
        (json!("a/b:c@d!$&'()*+,;="), "a/b:c@d!$&'()*+,;="),
        (json!("a b?c#d[é]%"), "a%20b%3Fc%23d%5B%C3%A9%5D%25"),
        (json!("a%2Fb%2fc%20"), "a%2Fb%2fc%2520"),
        (json!(["a/b", "c,d"]), "a/b,c%2Cd"),
    ] {
        let expected = format!("/v1/{expected}/x");
        assert_eq!(encode(name, value), Ok(expected));
    }
    let json = encode(name.json(), json!({ "a": "b/c" })).unwrap();
    assert_eq!(json, "/v1/%7B%22a%22:%22b/c%22%7D/x");
    for dropped in ["", "a//b", "/a", "a/", "../a", "a/./b"] {
        assert!(encode(name, json!(dropped)).is_err(), "{dropped}");
    }
}

#[test]
fn member_that_is_another_parameter_is_refused() {
    let check = |parameter: Parameter<'_>, value| {
        check_members(&parameter, &value, |location, name| {
            (location, name) == (Location::Query, "limit") || name == "filter"
        })
    };
    let filter = Parameter::query("filter");
    let error = check(filter, json!({ "a": 1, "limit": 2 })).unwrap_err();
    assert_eq!(
        error,
        "`filter` has a member `limit`, which is a query parameter of its own; set that one"
    );
    for (parameter, value) in [
        (filter, json!({ "filter": 1, "limit": null })),
        (filter, json!("limit")),
        (filter.style(Style::DeepObject, true), json!({ "limit": 2 })),
        (filter.style(Style::Form, false), json!({ "limit": 2 })),
        (filter.json(), json!({ "limit": 2 })),
        (Parameter::cookie("filter"), json!({ "limit": 2 })),
        (
            Parameter::path("filter").style(Style::Simple, true),
            json!({ "limit": 2 }),
        ),
    ] {
        assert_eq!(check(parameter, value), Ok(()));
    }
}

#[test]
fn segments_that_a_url_drops_are_refused() {
    let parameter = Parameter::path("id");
    let encode = |value| encode_parameters("/a/{id}/b", [(&parameter, &json!(value))]);
    for dropped in ["", ".", ".."] {
        let error = encode(dropped).unwrap_err();
        assert!(error.contains("makes the segment"), "{error}");
    }
    assert_eq!(encode("...").unwrap().path, "/a/.../b");
    let empty = encode_parameters("/a/{id}.json", [(&parameter, &json!(""))]);
    let empty = empty.unwrap_err();
    assert!(empty.contains("`id` is empty"), "{empty}");
    let missing = encode_parameters("/{id}", []).unwrap_err();
    assert_eq!(missing, "the path parameter `id` has no value");
}

#[test]
fn empty_list_that_would_leave_out_a_required_parameter_is_refused() {
    let encode = |parameter: Parameter<'_>| {
        let parts = encode_parameters("/", [(&parameter, &json!([]))]);
        parts.map(|parts| parts.query)
    };
    let error = encode(Parameter::query("a").required()).unwrap_err();
    assert!(error.contains("`a` is required"), "{error}");
    assert_eq!(encode(Parameter::query("a")).unwrap(), "");
    let joined = Parameter::query("a").required().style(Style::Form, false);
    assert_eq!(encode(joined).unwrap(), "a=");
}

#[test]
fn only_visible_ascii_reaches_a_header() {
    let parameter = Parameter::header("X-A");
    let encode = |value| encode_parameters("/", [(&parameter, &json!(value))]);
    for text in ["a\r\nb", "a\u{7f}", "ü"] {
        let error = encode(text).unwrap_err();
        assert!(error.contains("the header `X-A`"), "{text:?}: {error}");
    }
    assert_eq!(encode("a b\t~").unwrap().headers[0].1, "a b\t~");
}
