//! The tree: values and positions of YAML and JSON text.
#![allow(clippy::unwrap_used)]

use dropspec_model::{Diagnostic, Document, Position};
use serde_json::json;

fn parse(text: &str) -> Document {
    Document::parse("a.yaml", text).unwrap()
}

fn errors(text: &str) -> String {
    let errors = Document::parse("a.yaml", text).unwrap_err();
    let lines: Vec<String> = errors.iter().map(Diagnostic::to_string).collect();
    lines.join("\n")
}

/// The positions of the key and the value that `pointer` leads to.
fn positions(document: &Document, pointer: &str) -> ((u32, u32), (u32, u32)) {
    let (key, node) = document.member(pointer).unwrap();
    let pair = |position: Position| (position.line, position.column);
    (key.map_or((0, 0), pair), pair(node.position))
}

#[test]
fn yaml_keys_and_values_have_positions() {
    let document = parse("\u{feff}a: 1\r\nb:\r\n  cé: [x, {d: \"y\"}]\r\n  e:\r\n    - f: g\r\n");
    assert_eq!(positions(&document, "/a"), ((1, 1), (1, 4)));
    assert_eq!(positions(&document, "/b"), ((2, 1), (3, 3)));
    assert_eq!(positions(&document, "/b/cé"), ((3, 3), (3, 7)));
    assert_eq!(positions(&document, "/b/cé/0"), ((0, 0), (3, 8)));
    assert_eq!(positions(&document, "/b/cé/1/d"), ((3, 12), (3, 15)));
    assert_eq!(positions(&document, "/b/e/0/f"), ((5, 7), (5, 10)));
}

#[test]
fn json_keys_and_values_have_positions() {
    let document = parse("{ \"é\": 1,\r\n\t\"b\": { \"c\": [ true,\n  {\"d\": null} ] } }\n");
    assert_eq!(positions(&document, "/é"), ((1, 3), (1, 8)));
    assert_eq!(positions(&document, "/b"), ((2, 2), (2, 7)));
    assert_eq!(positions(&document, "/b/c/0"), ((0, 0), (2, 16)));
    assert_eq!(positions(&document, "/b/c/1/d"), ((3, 4), (3, 9)));
}

#[test]
fn yaml_scalars_follow_the_core_schema_of_1_2() {
    let rows = [
        ("on", json!("on")),
        ("yes", json!("yes")),
        ("No", json!("No")),
        ("~", json!(null)),
        ("nUll", json!("nUll")),
        ("TRUE", json!(true)),
        ("tRUE", json!("tRUE")),
        ("'true'", json!("true")),
        ("\"1\"", json!("1")),
        ("1.0.0", json!("1.0.0")),
        ("2026-11-21", json!("2026-11-21")),
        ("12:30:45", json!("12:30:45")),
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("0b1", json!("0b1")),
        ("1_000", json!("1_000")),
        ("+7", json!(7)),
        ("-0.5e3", json!(-500.0)),
        (".5", json!(0.5)),
        (".", json!(".")),
        ("1e", json!("1e")),
        (
            "18446744073709551615",
            json!(18_446_744_073_709_551_615_u64),
        ),
        ("-9223372036854775808", json!(i64::MIN)),
        ("!!str 12", json!("12")),
        ("!!int 12", json!(12)),
        ("|\n  a\n  b\n", json!("a\nb\n")),
    ];
    for (text, expected) in rows {
        let document = parse(&format!("value: {text}"));
        let value = document.pointer("/value").unwrap().to_json();
        assert_eq!(value, expected, "{text}");
    }
}

#[test]
fn yaml_keys_are_strings_as_written() {
    let document = parse("200: a\n0x10: b\nnull: c\non: d\n1.0: e\n");
    let keys = document.root().as_object().unwrap().keys();
    assert!(keys.eq(["200", "0x10", "null", "on", "1.0"]));
}

#[test]
fn json_values_equal_those_of_serde_json() {
    let texts = [
        r#"{"a": "\/ \ud83d\ude00 \u00e9 \n", "b": [], "c": {}, "d": [1, -2.5e-3, 18446744073709551615]}"#,
        "{\t\"a\"\t:\n\t1}",
        r#"{"": {"~/": 1}, "1": [[[]]]}"#,
    ];
    for text in texts {
        let expected: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse(text).root().to_json(), expected);
    }
}

#[test]
fn finds_values_by_escaped_and_indexed_pointers() {
    let document = parse("a/b:\n  c~d: [zero, one]\n~1: two\n");
    for (pointer, value) in [
        ("/a~1b/c~0d/1", Some("one")),
        ("/~01", Some("two")),
        ("/a~1b/c~0d/+1", None),
        ("/a~1b/c~0d/2", None),
        ("/a~1b/", None),
    ] {
        let found = document.pointer(pointer).and_then(|node| node.as_str());
        assert_eq!(found, value, "{pointer}");
    }
    assert_eq!(document.pointer(""), Some(document.root()));
}

#[test]
fn aliases_repeat_the_value_of_their_anchor() {
    let document = parse("a: &x {b: [1]}\nc: *x\n");
    assert_eq!(document.pointer("/c/b/0").unwrap().to_json(), json!(1));
    assert_eq!(positions(&document, "/c"), ((2, 1), (1, 4)));
}

#[test]
fn help_for_number_out_of_range_is_not_to_quote_it() {
    let text = "a: -1e400\nb: 0x10000000000000000\n";
    insta::assert_snapshot!(errors(text), @r#"
    a.yaml:1:4: the number `-1e400` is out of range (/a)
      help: write a number that fits into 64 bits
    a.yaml:2:4: the number `0x10000000000000000` is out of range (/b)
      help: write a number that fits into 64 bits
    "#);
}

#[test]
fn reports_all_yaml_without_json_equivalent() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\n  <<: {d: 1}\ne: .inf\nf: !mine 1\na: 3\n: 4\n";
    insta::assert_snapshot!(errors(text), @r##"
    a.yaml:4:3: duplicate key `c`: the first is at line 3, column 3 (/b/c)
      help: remove one of the two, or rename it
    a.yaml:5:3: merge keys (`<<`) are YAML 1.1 (/b)
      help: write the members, or share them by a `$ref`
    a.yaml:6:4: `.inf` is not a JSON number (/e)
      help: quote it: ".inf"
    a.yaml:7:4: the tag `!mine` is not supported (/f)
      help: remove it
    a.yaml:8:1: duplicate key `a`: the first is at line 1, column 1 (/a)
      help: remove one of the two, or rename it
    a.yaml:9:1: the key is missing
    "##);
}

#[test]
fn reports_json_duplicates_with_location() {
    insta::assert_snapshot!(errors("{\"a\": 1, \"b\": {\"c\": 1,\n \"c\": 2}, \"a\": 3}"), @r##"
    a.yaml:2:2: duplicate key `c`: the first is at line 1, column 16 (/b/c)
      help: remove one of the two, or rename it
    a.yaml:2:11: duplicate key `a`: the first is at line 1, column 2 (/a)
      help: remove one of the two, or rename it
    "##);
}

#[test]
fn reports_yaml_that_no_tree_can_have() {
    let rows = ["? [a]\n: 1\n", "a: &x [*x]\n"];
    let all: Vec<String> = rows.iter().map(|text| errors(text)).collect();
    insta::assert_snapshot!(all.join("\n"), @r##"
    a.yaml:1:3: an array or object cannot be a key
      help: write a string; a template such as {name} needs quotes
    a.yaml:1:8: the alias is inside the value that it repeats (/a/0)
    "##);
}
