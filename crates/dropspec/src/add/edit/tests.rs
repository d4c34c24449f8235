//! Insertions keep every byte that was there.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

fn member(container: &[&str], after: Option<&str>, key: &str, value: Value) -> Addition {
    Addition::Member {
        container: container.iter().map(|it| (*it).to_owned()).collect(),
        after: after.map(str::to_owned),
        key: key.to_owned(),
        value,
    }
}

fn item(container: &str, value: Value) -> Addition {
    Addition::Item {
        container: vec![container.to_owned()],
        value,
    }
}

/// Edits a text, and checks that the result is the old text with insertions, and means the old document with additions.
fn edited(text: &str, additions: &[Addition]) -> String {
    let document = Document::parse("a", text).unwrap();
    let new = apply(text, &document, additions).unwrap();
    let read = Document::parse("a", &new).unwrap_or_else(|errors| panic!("{errors:?}\n{new}"));
    let expected = apply_to_values(&document.root().to_json(), additions);
    assert_eq!(read.root().to_json(), expected, "{new}");
    let mut rest = new.chars();
    let is_kept = text.chars().all(|sign| rest.any(|it| it == sign));
    assert!(is_kept, "{new}");
    new
}

#[test]
fn block_yaml_keeps_comments_and_blank_lines() {
    let text = "# top\npaths:\n  /a:\n    get: {} # of a\n\n  # about b\n  /b:\n    get:\n      description: |\n        # no comment\n        last\n\n# components\ncomponents:\n  schemas:\n    A: {type: string}\n";
    let additions = [
        member(&["paths"], None, "/c", json!({"get": {}})),
        member(&["paths"], Some("/a"), "/a2", json!({"get": {}})),
        member(
            &["components", "schemas"],
            None,
            "C",
            json!({"type": "object"}),
        ),
        member(
            &["components", "responses"],
            None,
            "D",
            json!({"description": "d"}),
        ),
    ];
    assert_eq!(
        edited(text, &additions),
        "# top\npaths:\n  /a:\n    get: {} # of a\n\n  /a2:\n    get: {}\n\n  # about b\n  /b:\n    get:\n      description: |\n        # no comment\n        last\n\n  /c:\n    get: {}\n\n# components\ncomponents:\n  schemas:\n    A: {type: string}\n    C:\n      type: object\n  responses:\n    D:\n      description: d\n"
    );
}

#[test]
fn items_are_added_to_sequences_at_either_depth() {
    for (text, expected) in [
        (
            "tags:\n- name: a\nx: 1\n",
            "tags:\n- name: a\n- name: b\nx: 1\n",
        ),
        (
            "tags:\n  - name: a\n\nx: 1",
            "tags:\n  - name: a\n  - name: b\n\nx: 1",
        ),
        (
            "x: 1\ntags:\n  - name: a",
            "x: 1\ntags:\n  - name: a\n  - name: b\n",
        ),
        ("tags: [{name: a}]\n", "tags: [{name: a}, {name: b}]\n"),
        ("tags: []\n", "tags: [{name: b}]\n"),
    ] {
        assert_eq!(
            edited(text, &[item("tags", json!({"name": "b"}))]),
            expected
        );
    }
}

#[test]
fn missing_containers_are_made_once() {
    let additions = [
        member(
            &["components", "schemas"],
            None,
            "A",
            json!({"type": "string"}),
        ),
        member(
            &["components", "schemas"],
            None,
            "B",
            json!({"type": "string"}),
        ),
    ];
    assert_eq!(
        edited("paths: {}", &additions),
        "paths: {}\ncomponents:\n  schemas:\n    A:\n      type: string\n    B:\n      type: string\n"
    );
}

#[test]
fn json_keeps_its_layout() {
    let additions = [
        member(&["paths"], None, "/b", json!({"get": {}})),
        item("tags", json!({"name": "b"})),
    ];
    for (text, expected) in [
        (
            "{\n  \"paths\": {\n    \"/a\": {}\n  },\n  \"tags\": []\n}\n",
            "{\n  \"paths\": {\n    \"/a\": {},\n    \"/b\": {\n      \"get\": {}\n    }\n  },\n  \"tags\": [\n    {\n      \"name\": \"b\"\n    }\n  ]\n}\n",
        ),
        (
            "{\"paths\":{\"/a\":{\"x\":\"}\\\"\"}},\"tags\":[1]}",
            "{\"paths\":{\"/a\":{\"x\":\"}\\\"\"},\"/b\":{\"get\":{}}},\"tags\":[1,{\"name\":\"b\"}]}",
        ),
        (
            "{\r\n\t\"paths\": {},\r\n\t\"tags\": [{ \"name\": \"a\" }]\r\n}",
            "{\r\n\t\"paths\": {\r\n\t\t\"/b\": {\r\n\t\t\t\"get\": {}\r\n\t\t}\r\n\t},\r\n\t\"tags\": [{ \"name\": \"a\" }, {\"name\":\"b\"}]\r\n}",
        ),
    ] {
        assert_eq!(edited(text, &additions), expected);
    }
}

#[test]
fn yaml_in_brackets_is_edited_inside_of_them() {
    let text = "paths: {\n  /a: {description: it's, x: 'b}'}, # c }\n}\n";
    let expected = "paths: {\n  /a: {description: it's, x: 'b}'},\n  \"/b\": {get: {}} # c }\n}\n";
    assert_eq!(
        edited(text, &[member(&["paths"], None, "/b", json!({"get": {}}))]),
        expected
    );
}

#[test]
fn line_ends_and_mark_of_the_byte_order_stay() {
    let text = "\u{feff}paths:\r\n  /a: {}\r\nx: 1\r\n";
    let expected = "\u{feff}paths:\r\n  /a: {}\r\n  /b:\r\n    get: {}\r\nx: 1\r\n";
    assert_eq!(
        edited(text, &[member(&["paths"], None, "/b", json!({"get": {}}))]),
        expected
    );
}

#[test]
fn empty_section_says_what_to_write() {
    let text = "components:\n  schemas:\n";
    let document = Document::parse("a.yaml", text).unwrap();
    let error = apply(
        text,
        &document,
        &[member(&["components", "schemas"], None, "A", json!({}))],
    );
    let error = error.unwrap_err().to_string();
    let expected = ": `components.schemas` is null: write an empty object `{}` there first";
    assert!(
        error.starts_with("a.yaml:") && error.ends_with(expected),
        "{error}"
    );
}
