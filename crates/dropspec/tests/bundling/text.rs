//! The text of a bundle.

use serde_json::json;

use crate::common::bundle;

const OVERLAY: &str =
    "overlay: 1.1.0\ninfo: {title: a, version: '1'}\nactions: [{target: $, update: {x-a: 1}}]\n";

#[test]
fn text_has_the_format_of_the_document() {
    let files = [
        ("api.json", r#"{"openapi": "3.0.3"}"#),
        ("overlay.yaml", OVERLAY),
    ];
    let json = "{\n  \"openapi\": \"3.0.3\",\n  \"x-a\": 1\n}\n";
    assert_eq!(bundle(&files).unwrap().text(), json);
    let files = [
        ("api.yaml", "openapi: 3.0.3 # new\n"),
        ("overlay.yaml", OVERLAY),
    ];
    assert_eq!(
        bundle(&files).unwrap().text(),
        "openapi: \"3.0.3\"\nx-a: 1\n"
    );
}

#[test]
fn yaml_has_the_same_value() {
    let words = r##"[
        "", " ", "a", "a ", " a", "null", "true", "on", "12", "1.0", "0x1f", "1e3", "2026-11-22", "12:30", "-",
        "- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "{a}", "[a]", "'a'", "\"a\"", "a\nb", "a\nb\n", "a\n\n",
        "\na", "  a\n b\n", "a\n  b\n\n c", "a\tb", "\ud83d\ude00", "\u007f", "\u0085", "\u2028", "\ufeff", "%a",
        "@a", "`a", "~", "=", "<<", "?", "? a", ":", "a\\b", "a\r\nb", "\\", "|", ">"
    ]"##;
    let words: Vec<String> = serde_json::from_str(words).unwrap();
    let long = format!(
        "{} \n\n  {}\n",
        "word ".repeat(60),
        "word  word ".repeat(40)
    );
    let mut value = json!({
        "numbers": [0, -1, 1.5, 1e300, -0.0, 18446744073709551615u64, 1.0],
        "empty": [{}, [], null, true, [[]], [{}]],
        "long": long,
        "nested": [[1, [2, {"a": [{"b": 3}]}]]],
    });
    for word in words {
        value["words"][format!("key {word}")] = json!(word);
        value["keys"][&word] = json!([word, { word.as_str(): word }]);
    }
    let text = value.to_string();
    let bundled = bundle(&[("api.json", &text)]).unwrap();
    let yaml = bundled.yaml();
    let parsed = dropspec_model::Document::parse("a.yaml", &yaml);
    let parsed = parsed.unwrap_or_else(|e| panic!("{e:?}\n{yaml}"));
    assert_eq!(parsed.root().to_json(), value);
    let again = bundle(&[("a.yaml", &yaml)]).unwrap().yaml();
    assert_eq!(again, yaml);
}
