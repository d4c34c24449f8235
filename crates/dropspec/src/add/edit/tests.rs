//! Insertions keep every byte that was there.
use serde_json::json;

use super::*;

fn addition(container: &[&str], key: Option<&str>, value: Value) -> Addition {
    Addition {
        container: container.iter().map(|it| (*it).to_owned()).collect(),
        key: key.map(str::to_owned),
        value,
    }
}

/// Edits a text, and checks that the result is the old text with insertions.
fn edited(text: &str, additions: &[Addition]) -> String {
    let document = Document::parse("a", text).unwrap();
    let new = apply(text, &document, additions);
    let new = new.unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut rest = new.chars();
    let is_kept = text.chars().all(|sign| rest.any(|it| it == sign));
    assert!(is_kept, "{new}");
    new
}

#[test]
fn block_yaml_keeps_comments_and_blank_lines() {
    let text = "# top\npaths:\n  /a:\n    get: {} # of a\n\n  # about b\n  /b:\n    get:\n      description: |\n        # no comment\n        last\n\n# components\ncomponents:\n  schemas:\n    A: {type: string}\n";
    let additions = [
        addition(&["paths"], Some("/c"), json!({"get": {}})),
        addition(
            &["components", "schemas"],
            Some("C"),
            json!({"type": "object"}),
        ),
        addition(
            &["components"],
            Some("responses"),
            json!({"D": {"description": "d"}}),
        ),
    ];
    assert_eq!(
        edited(text, &additions),
        "# top\npaths:\n  /a:\n    get: {} # of a\n\n  # about b\n  /b:\n    get:\n      description: |\n        # no comment\n        last\n  /c:\n    get: {}\n\n# components\ncomponents:\n  schemas:\n    A: {type: string}\n    C:\n      type: object\n  responses:\n    D: { description: d }\n"
    );
}

#[test]
fn texts_of_each_layout_keep_it() {
    let tag = || addition(&["tags"], None, json!({"name": "b"}));
    let path = || addition(&["paths"], Some("/b"), json!({"get": {}}));
    for (reason, text, additions, expected) in [
        (
            "items at the depth of the key",
            "tags:\n- name: a\nx: 1\n",
            vec![tag()],
            "tags:\n- name: a\n- name: b\nx: 1\n",
        ),
        (
            "items deeper than the key",
            "tags:\n  - name: a\n\nx: 1",
            vec![tag()],
            "tags:\n  - name: a\n  - name: b\n\nx: 1",
        ),
        (
            "no line end at the end",
            "x: 1\ntags:\n  - name: a",
            vec![tag()],
            "x: 1\ntags:\n  - name: a\n  - name: b",
        ),
        (
            "an array in one line",
            "tags: [{name: a}]\n",
            vec![tag()],
            "tags: [{\"name\":\"b\"}, {name: a}]\n",
        ),
        (
            "an empty object",
            "x: 1\npaths: {}\n",
            vec![path()],
            "x: 1\npaths: {\n  \"/b\": {\n    \"get\": {}\n  }\n  }\n",
        ),
        (
            "the mark of the byte order, and line ends of two bytes",
            "\u{feff}paths:\r\n  /a: {}\r\nx: 1\r\n",
            vec![path()],
            "\u{feff}paths:\r\n  /a: {}\r\n  /b:\r\n    get: {}\r\nx: 1\r\n",
        ),
        (
            "brackets over several lines",
            "paths: {\n  /a: {description: it's, x: 'b}'}, # c }\n}\n",
            vec![path()],
            "paths: {\n  \"/b\": {\n    \"get\": {}\n  },\n  /a: {description: it's, x: 'b}'}, # c }\n}\n",
        ),
        (
            "JSON in lines",
            "{\n  \"paths\": {\n    \"/a\": {}\n  },\n  \"tags\": []\n}\n",
            vec![path(), tag()],
            "{\n  \"paths\": {\n    \"/b\": {\n      \"get\": {}\n    },\n    \"/a\": {}\n  },\n  \"tags\": [\n    {\n      \"name\": \"b\"\n    }\n  ]\n}\n",
        ),
        (
            "JSON in one line",
            "{\"paths\":{\"/a\":{\"x\":\"}\\\"\"}},\"tags\":[1]}",
            vec![path(), tag()],
            "{\"paths\":{\"/b\": {\"get\":{}}, \"/a\":{\"x\":\"}\\\"\"}},\"tags\":[{\"name\":\"b\"}, 1]}",
        ),
    ] {
        assert_eq!(edited(text, &additions), expected, "{reason}");
    }
}

#[test]
fn place_that_cannot_be_edited_is_an_error() {
    let addition = [addition(&["components", "schemas"], Some("A"), json!({}))];
    for (text, expected) in [
        (
            "components:\n  schemas:\n",
            "`components.schemas` is null: write an empty object `{}` there first",
        ),
        (
            "x: &a\n  B: {}\ncomponents:\n  schemas: *a\n",
            "it is written in a way that cannot be edited in place",
        ),
    ] {
        let document = Document::parse("a.yaml", text).unwrap();
        let error = apply(text, &document, &addition).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
