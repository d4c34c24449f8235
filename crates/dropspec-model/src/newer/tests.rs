//! Tests of what a document of 3.1 becomes.
use serde_json::json;

use crate::{Document, Method, ParameterLocation, Spec};

/// The schema as it is read.
fn rewritten(schema: serde_json::Value) -> serde_json::Value {
    let text = json!({ "openapi": "3.1.0", "components": { "schemas": { "A": schema } } });
    let document = Document::parse("a.json", &text.to_string()).unwrap();
    let read = document.in_terms_of_3_0();
    read.pointer("/components/schemas/A").unwrap().to_json()
}

#[test]
fn schemas_are_written_in_the_terms_of_3_0() {
    let rows = json!([
        [{ "type": ["string", "null"] }, { "type": "string", "nullable": true }],
        [{ "type": ["string", "null"], "enum": ["a"] }, { "type": "string", "enum": ["a"] }],
        [
            { "type": ["string", "null"], "enum": ["a", null] },
            { "type": "string", "enum": ["a", null], "nullable": true }
        ],
        [{ "type": "null" }, { "enum": [null], "nullable": true }],
        [{ "type": ["string", "integer"] }, { "type": ["string", "integer"] }],
        [{ "type": "string", "nullable": true }, { "type": "string" }],
        [{ "const": 1 }, { "enum": [1] }],
        [{ "const": 1, "enum": [1, 2] }, { "enum": [1], "allOf": [{ "enum": [1, 2] }] }],
        [{ "exclusiveMinimum": 1 }, { "minimum": 1, "exclusiveMinimum": true }],
        [{ "exclusiveMinimum": 1, "minimum": 2 }, { "minimum": 2 }],
        [{ "exclusiveMaximum": 1, "maximum": 2 }, { "maximum": 1, "exclusiveMaximum": true }],
        [{ "examples": [7] }, { "example": 7 }],
        [{ "items": true }, { "items": {} }],
        [{ "not": false }, { "not": { "not": {} } }],
        [{ "additionalProperties": false }, { "additionalProperties": false }],
        [
            { "unevaluatedProperties": { "type": "null" } },
            { "additionalProperties": { "enum": [null], "nullable": true } }
        ],
        [{ "contentMediaType": "application/octet-stream" }, { "type": "string", "format": "binary" }],
        [
            { "contentMediaType": "image/png" },
            { "contentMediaType": "image/png", "type": "string", "format": "binary" }
        ],
        [{ "$ref": "#/b", "maxLength": 5 }, { "maxLength": 5, "allOf": [{ "$ref": "#/b" }] }],
        [{ "$ref": "#/b" }, { "$ref": "#/b" }],
        [
            { "$anchor": "a", "items": { "$ref": "#a" } },
            { "$anchor": "a", "items": { "$ref": "#/components/schemas/A" } }
        ],
        [{ "default": { "type": "null", "const": 1 } }, { "default": { "type": "null", "const": 1 } }]
    ]);
    for row in rows.as_array().unwrap() {
        assert_eq!(rewritten(row[0].clone()), row[1], "{}", row[0]);
    }
}

#[test]
fn what_3_2_adds_to_paths_is_read_and_keeps_its_place() {
    let text = "openapi: 3.2.0
info: {title: A, version: '1'}
paths:
  /a:
    additionalOperations:
      COPY:
        operationId: copyA
        parameters:
          - {name: q, in: querystring, content: {application/x-www-form-urlencoded: {schema: {type: object, minProperties: 9}}}}
      SCRUB: {operationId: scrubA}
      get: {operationId: getA}
    query: {operationId: searchA}
";
    let spec = Spec::parse_with_errors("a.yaml", text).unwrap();
    let operations = spec.operations.iter();
    let operations: Vec<_> = operations
        .map(|it| (it.method, it.path.to_string()))
        .collect();
    let path = || "/a".to_owned();
    assert_eq!(
        operations,
        [(Method::Query, path()), (Method::Copy, path())]
    );
    let parameter = &spec.operations[1].parameters[0];
    assert_eq!(
        (parameter.location, parameter.explode),
        (ParameterLocation::Query, true)
    );
    let errors: Vec<_> = spec
        .errors
        .iter()
        .map(|it| (it.location.to_string(), it.help.clone()))
        .collect();
    let unknown =
        "write `PURGE`, or one that has been registered with IANA, in capitals, such as `COPY`"
            .to_owned();
    let fixed = "write the operation as `get` of the path".to_owned();
    assert_eq!(
        errors,
        [
            ("a.yaml:10:7".to_owned(), Some(unknown)),
            ("a.yaml:11:7".to_owned(), Some(fixed))
        ]
    );
    let read = "/paths/~1a/COPY/parameters/0/schema/minProperties";
    assert_eq!(
        spec.source.written_pointer(read),
        "/paths/~1a/additionalOperations/COPY/parameters/0/content/application~1x-www-form-urlencoded/schema/minProperties"
    );
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

#[test]
fn schema_of_a_stream_that_is_no_text_is_that_of_its_items() {
    let read = |version: &str, media_type: &str, schema: &str| {
        let text = format!(
            "{{openapi: {version}, paths: {{/a: {{get: {{responses: {{'200': {{content: {{{media_type}: {{schema: {schema}}}}}}}}}}}}}}},
             components: {{schemas: {{A: {{type: object}}, T: {{type: string}}}}}}}}"
        );
        let document = Document::parse("a.yaml", &format!("# YAML\n{text}")).unwrap();
        let read = document.in_terms_of_code().unwrap_or(document);
        let media_type = media_type.replace('/', "~1");
        let at = format!("/paths/~1a/get/responses/200/content/{media_type}");
        let mut read = read.pointer(&at).unwrap().to_json();
        let data = read.pointer_mut("/x-item-schema/properties/data");
        match data {
            Some(data) => data.take(),
            None => read,
        }
    };
    let a = json!({ "$ref": "#/components/schemas/A" });
    let (reference, list) = (
        "{$ref: '#/components/schemas/A'}",
        "{type: array, items: {type: object}}",
    );
    for version in ["3.0.3", "3.1.0"] {
        assert_eq!(
            read(version, "text/event-stream", reference),
            a,
            "{version}"
        );
        let lines = json!({ "x-item-schema": &a });
        assert_eq!(read(version, "application/jsonl", reference), lines);
        let text = "{$ref: '#/components/schemas/T'}";
        let kept = json!({ "schema": { "$ref": "#/components/schemas/T" } });
        assert_eq!(read(version, "text/event-stream", text), kept);
        assert_eq!(
            read(version, "application/json", reference),
            json!({ "schema": &a })
        );
    }
    // Of events, an item of an array is the data, too; one that is an event is the event.
    assert_eq!(
        read("3.0.3", "text/event-stream", list),
        json!({ "type": "object" })
    );
    let event = json!({ "type": "object", "properties": { "data": { "type": "integer" }, "event": { "type": "string" } } });
    let one_of = json!({ "oneOf": [&event] });
    for own in [&event, &one_of] {
        let text = own.to_string();
        let whole = read("3.1.0", "text/event-stream", &format!("{{items: {text}}}"));
        let data = own.pointer("/properties/data").cloned();
        assert_eq!(whole, data.unwrap_or(json!({ "x-item-schema": own })));
    }
    let texts = "{anyOf: [{$ref: '#/components/schemas/T'}, {type: string}]}";
    assert!(
        read("3.0.3", "text/event-stream", texts)
            .get("schema")
            .is_some()
    );
    let all = json!({ "x-item-schema": { "type": "object" } });
    assert_eq!(read("3.2.0", "application/jsonl", list), all);
    assert_eq!(
        read("3.2.0", "application/jsonl", reference),
        json!({ "schema": &a })
    );
}
