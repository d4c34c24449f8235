//! Hostile input is read, or rejected with errors, in bounded time and without a panic.
#![allow(clippy::unwrap_used)]

use dropspec_model::{Document, Spec};
use proptest::prelude::*;

const YAML: &str = include_str!("data/every_element.yaml");

fn error(text: &str) -> String {
    Document::parse("a", text).unwrap_err()[0].to_string()
}

#[test]
fn rejects_nesting_deeper_than_128_levels() {
    let deep = 200_000;
    let json = format!("{{\"a\": {}", "[".repeat(deep));
    assert!(error(&json).starts_with("a:1:134: nested deeper than 128 levels (/a/0/0"));
    assert!(error(&"[".repeat(200)).contains("nested deeper than 128 levels"));
    // The limit of the YAML parser's look-ahead.
    assert!(error(&"[".repeat(deep)).contains("recursion limit"));
    assert!(error(&"- ".repeat(deep)).contains("nested deeper than 128 levels"));
}

#[test]
fn reads_schemas_of_maximal_nesting_within_the_stack() {
    let head = r#"{"openapi": "3.0.3", "info": {"title": "", "version": ""}, "paths": {}, "components": {"schemas": {"A": "#;
    let levels = 124;
    let text = format!(
        "{head}{}{{}}{}}}}}}}",
        "{\"not\": ".repeat(levels),
        "}".repeat(levels)
    );
    assert!(Spec::parse("a.json", &text).is_ok());
}

#[test]
fn rejects_more_than_10000_references_into_schemas() {
    // Each level refers twice to the next, by a pointer that names no component.
    let mut text =
        "openapi: 3.0.3\ninfo: {title: a, version: a}\npaths: {}\ncomponents:\n  schemas:\n"
            .to_owned();
    for level in 0..40 {
        let next = format!("{{$ref: '#/components/schemas/S{}/not'}}", level + 1);
        text += &format!("    S{level}: {{not: {{allOf: [{next}, {next}]}}}}\n");
    }
    text += "    S40: {not: {}}\n";
    let errors = Spec::parse("a.yaml", &text).unwrap_err();
    assert!(
        errors[0].message.contains("more than 10000 `$ref`s"),
        "{}",
        errors[0]
    );
}

#[test]
fn rejects_too_many_and_too_deep_aliases() {
    let mut wide = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        wide += &format!("a{level}: &a{level} [{items}]\n");
    }
    assert!(error(&wide).contains("repeat more than 100000 values"));

    let mut deep = "a0: &a0 [x]\n".to_owned();
    for level in 1..300 {
        deep += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    assert!(error(&deep).contains("nested deeper than 128 levels"));
    let (open, close) = ("[".repeat(100), "]".repeat(100));
    let inside = format!("a: &a {open}x{close}\nb: {open}*a {close}\n");
    assert!(error(&inside).contains("nested deeper than 128 levels"));
}

/// Reads `text`. A rejection has at least one error.
fn read(text: &str) {
    if let Err(errors) = Spec::parse("a", text) {
        assert!(!errors.is_empty());
    }
}

fn json() -> String {
    Document::parse("a", YAML)
        .unwrap()
        .root()
        .to_json()
        .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn truncated_documents_never_panic(end in 0..YAML.len()) {
        read(&String::from_utf8_lossy(&YAML.as_bytes()[..end]));
        let json = json();
        read(&String::from_utf8_lossy(&json.as_bytes()[..end.min(json.len())]));
    }

    #[test]
    fn mutated_text_never_panics(edits in edits()) {
        read(&edit(YAML, &edits));
        read(&edit(&json(), &edits));
    }

    #[test]
    fn any_text_never_panics(text in "[-{}\\[\\]:,&*!|>'\"%@`#? \n\t\\\\a-c0-9é]{0,60}") {
        read(&text);
        read(&format!("{{{text}"));
    }
}

fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, String)>> {
    let mark = "[-{}\\[\\]:,&*!|>'\"%@`#? \n\t\\\\]{1,3}";
    let word = prop::sample::select(vec!["", "$ref", "*a", "&a "]).prop_map(str::to_owned);
    let insert = prop_oneof![mark, word];
    prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, insert), 1..6)
}

/// Replaces the given number of bytes at each index by the text.
fn edit(text: &str, edits: &[(prop::sample::Index, usize, String)]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (place, removed, inserted) in edits {
        let at = place.index(bytes.len().max(1)).min(bytes.len());
        let end = (at + removed).min(bytes.len());
        bytes.splice(at..end, inserted.bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
