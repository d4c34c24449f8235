//! The part of docs/generator.md about the keywords of JSON Schema 2020-12. Each row is generated, and its values are checked.

use std::fmt::Write;

use serde_json::Value;
use spec_schema::Direction;

use crate::{formatted, generate_files};

/// A schema, a value that it accepts, and one that it refuses; none if it refuses no value.
const SCHEMAS: &[(&str, &str, Option<&str>)] = &[
    ("{type: [integer, string]}", "1", Some("true")),
    ("{type: [string, 'null'], minLength: 1}", "null", Some("''")),
    ("{type: 'null'}", "null", Some("1")),
    ("{const: thing}", "thing", Some("other")),
    ("{const: 5}", "5", Some("6")),
    ("{enum: [a, b, null]}", "null", Some("c")),
    (
        "{anyOf: [{$ref: '#/components/schemas/Book'}, {type: 'null'}]}",
        "null",
        Some("1"),
    ),
    ("{type: number, exclusiveMinimum: 0}", "0.5", Some("0")),
    (
        "{type: array, prefixItems: [{type: string}, {type: integer}], items: false}",
        "[a, 1]",
        Some("[a, 1, 2]"),
    ),
    (
        "{type: array, prefixItems: [{type: string}], items: {type: string}}",
        "[a, b]",
        Some("[a, 1]"),
    ),
    (
        "{type: array, contains: {const: a}, maxContains: 1}",
        "[a, b]",
        Some("[a, a]"),
    ),
    (
        "{type: array, prefixItems: [{type: string}], unevaluatedItems: false}",
        "[a]",
        Some("[a, b]"),
    ),
    (
        "{type: object, patternProperties: {^x-: {type: string}}, additionalProperties: false}",
        "{x-a: b}",
        Some("{x-a: 1}"),
    ),
    (
        "{type: object, propertyNames: {maxLength: 2}, additionalProperties: {type: integer}}",
        "{ab: 1}",
        Some("{abc: 1}"),
    ),
    (
        "{type: object, properties: {a: {type: string}, b: {type: string}}, dependentRequired: {a: [b]}}",
        "{b: x}",
        Some("{a: x}"),
    ),
    (
        "{type: object, properties: {a: {type: string}}, dependentSchemas: {a: {minProperties: 2}}}",
        "{}",
        Some("{a: x}"),
    ),
    (
        "{type: object, properties: {a: {type: integer}}, if: {properties: {a: {const: 1}}, required: [a]}, then: {required: [b]}}",
        "{a: 2}",
        Some("{a: 1}"),
    ),
    (
        "{type: object, allOf: [{properties: {a: {type: string}}}], unevaluatedProperties: false}",
        "{a: x}",
        Some("{b: x}"),
    ),
    ("true", "1", None),
    (
        "{$ref: '#/components/schemas/Text', maxLength: 3}",
        "abc",
        Some("abcd"),
    ),
    (
        "{$ref: '#/components/schemas/Book/$defs/Page'}",
        "1",
        Some("a"),
    ),
    ("{$ref: '#chapter'}", "a", Some("1")),
    ("{$ref: 'https://example.com/shelf'}", "[a]", Some("a")),
    ("{$dynamicRef: '#node'}", "{next: {}}", Some("{next: 1}")),
    ("{type: string, contentEncoding: base64}", "YQ==", Some("1")),
    (
        "{type: string, contentMediaType: application/json, contentSchema: {type: object}}",
        "'{}'",
        Some("1"),
    ),
];

fn document(schema: &str) -> String {
    format!(
        "openapi: 3.1.0
info: {{title: Books, version: 1.0.0}}
paths: {{}}
components:
  schemas:
    Object: {{type: object, required: [value], properties: {{value: {schema}}}}}
    Text: {{type: string}}
    Book:
      type: object
      properties: {{title: {{type: string}}}}
      $defs: {{Page: {{type: integer}}, Chapter: {{$anchor: chapter, type: string}}}}
    Shelf: {{$id: 'https://example.com/shelf', type: array, items: {{type: string}}}}
    Node: {{$dynamicAnchor: node, type: object, properties: {{next: {{$dynamicRef: '#node'}}}}}}
"
    )
}

/// The table of the types of schemas. The text of each schema, of the type of a property that has it, and of a value that is
/// refused.
pub fn render(page: &mut String) {
    page.push_str(
        "\n## Schemas of OpenAPI 3.1 and 3.2\n\nSchemas are those of JSON Schema 2020-12. Every keyword is checked in requests, and in responses if they are checked. What a\n\
         type cannot express, such as the length of a list, only the check does.\n\n\
         | schema of a property | type | refused, for example |\n| --- | --- | --- |\n",
    );
    for (schema, valid, invalid) in SCHEMAS {
        let files = generate_files(&document(schema));
        let types = formatted(&files, "types.rs");
        let object = types.split_once("pub struct Object {").unwrap().1;
        let field = object.split_once("pub value: ").unwrap().1;
        let field = field.split_once(",\n").unwrap().0;
        let json = files
            .iter()
            .find(|file| file.name == "openapi.json")
            .unwrap();
        let json: Value = serde_json::from_str(&json.content).unwrap();
        let property = spec_schema::find(&json, "/components/schemas/Object").unwrap();
        let property = &property["properties"]["value"];
        let validator = spec_schema::compile(&json, property, Direction::Request).unwrap();
        let read = |text: &str| {
            let value = spec_model::Document::parse("value", &format!("value: {text}")).unwrap();
            value.root().to_json()["value"].clone()
        };
        assert!(validator.is_valid(&read(valid)), "{schema} refuses {valid}");
        let refused = invalid.map_or(String::new(), |invalid| {
            assert!(
                !validator.is_valid(&read(invalid)),
                "{schema} accepts {invalid}"
            );
            format!("`{invalid}`")
        });
        let _ = writeln!(page, "| `{schema}` | `{field}` | {refused} |");
    }
}
