//! Tests of what a document of 3.1 becomes.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use crate::Document;

/// The schema as it is read.
fn rewritten(schema: serde_json::Value) -> serde_json::Value {
    let text = json!({ "openapi": "3.1.0", "components": { "schemas": { "A": schema } } });
    let document = Document::parse("a.json", &text.to_string()).unwrap();
    let read = document.in_terms_of_3_0();
    read.pointer("/components/schemas/A").unwrap().to_json()
}

#[test]
fn schemas_are_written_in_the_terms_of_3_0() {
    for (written, read) in [
        (
            json!({ "type": ["string", "null"] }),
            json!({ "type": "string", "nullable": true }),
        ),
        (
            json!({ "type": ["string", "null"], "enum": ["a"] }),
            json!({ "type": "string", "enum": ["a"] }),
        ),
        (
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
            json!({ "type": "string", "enum": ["a", null], "nullable": true }),
        ),
        (
            json!({ "type": "null" }),
            json!({ "enum": [null], "nullable": true }),
        ),
        (
            json!({ "type": ["string", "integer"] }),
            json!({ "type": ["string", "integer"] }),
        ),
        (
            json!({ "type": "string", "nullable": true }),
            json!({ "type": "string" }),
        ),
        (json!({ "const": 1 }), json!({ "enum": [1] })),
        (
            json!({ "exclusiveMinimum": 1 }),
            json!({ "minimum": 1, "exclusiveMinimum": true }),
        ),
        (
            json!({ "exclusiveMinimum": 1, "minimum": 2 }),
            json!({ "minimum": 2 }),
        ),
        (
            json!({ "exclusiveMaximum": 1, "maximum": 2 }),
            json!({ "maximum": 1, "exclusiveMaximum": true }),
        ),
        (json!({ "examples": [7] }), json!({ "example": 7 })),
        (json!({ "items": true }), json!({ "items": {} })),
        (json!({ "not": false }), json!({ "not": { "not": {} } })),
        (
            json!({ "additionalProperties": false }),
            json!({ "additionalProperties": false }),
        ),
        (
            json!({ "unevaluatedProperties": { "type": "null" } }),
            json!({ "additionalProperties": { "enum": [null], "nullable": true } }),
        ),
        (
            json!({ "contentMediaType": "application/octet-stream" }),
            json!({ "type": "string", "format": "binary" }),
        ),
        (
            json!({ "$ref": "#/components/schemas/B", "maxLength": 5 }),
            json!({ "maxLength": 5, "allOf": [{ "$ref": "#/components/schemas/B" }] }),
        ),
        (
            json!({ "$ref": "#/components/schemas/B" }),
            json!({ "$ref": "#/components/schemas/B" }),
        ),
        (
            json!({ "$anchor": "a", "items": { "$ref": "#a" } }),
            json!({ "$anchor": "a", "items": { "$ref": "#/components/schemas/A" } }),
        ),
        (
            json!({ "default": { "type": ["string", "null"], "const": 1 } }),
            json!({ "default": { "type": ["string", "null"], "const": 1 } }),
        ),
    ] {
        assert_eq!(rewritten(written.clone()), read, "{written}");
    }
}

#[test]
fn pointers_lead_to_what_is_written() {
    let text = "{openapi: 3.1.0, a: {$ref: x, allOf: [{}], type: [string, 'null'], const: 1}}";
    let document = Document::parse("a.yaml", &format!("# YAML\n{text}")).unwrap();
    for (read, written) in [
        ("/a/allOf/0", "/a/allOf/0"),
        ("/a/allOf/1", "/a"),
        ("/a/allOf/1/$ref", "/a/$ref"),
        ("/a/nullable", "/a/type"),
        ("/a/enum/0", "/a/const"),
    ] {
        assert_eq!(document.written_pointer(read), written, "{read}");
    }
}
