//! What counts as equal where values are written as texts.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use spec_runtime::Document;

use super::*;

#[test]
fn scalars_of_one_text_are_equal_if_the_schema_takes_both() {
    let document: &'static Document = Box::leak(Box::new(Document::from_json("{}")));
    let checker = Checker {
        document: document.json(),
        comparison: Comparison::new(document.json()),
        responses: ResponseValidator::new(document, &[]).unwrap(),
    };
    let union = json!({ "oneOf": [{ "type": "integer" }, { "type": "string" }] });
    let text = json!({ "type": "string" });
    for (schema, sent, got, expected) in [
        (&union, json!("0"), json!(0), true),
        (&union, json!("0"), json!(1), false),
        (&text, json!("0"), json!(0), false),
        (&text, json!(""), json!(null), true),
    ] {
        let difference = checker.find_difference_as_text(schema, &sent, &got);
        assert_eq!(difference.is_none(), expected, "{schema} {sent} {got}");
    }
}
