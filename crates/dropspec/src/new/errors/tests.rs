//! Tests of `errors`.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use serde_json::json;
use spec_schema::{Direction, compile};

use super::body::{SAMPLES, fill};
use super::*;

/// A document whose only error response has this body.
fn document(media_type: &str, schema: Value) -> Value {
    let response = json!({"description": "", "content": {media_type: {"schema": schema}}});
    json!({
        "paths": {"/a": {"get": {"responses": {"404": {"$ref": "#/components/responses/E"}}}}},
        "components": {"responses": {"E": response}},
    })
}

/// The body of a 404 without a route; `null` if the schema is not recognized.
fn body_of_404(media_type: &str, schema: Value) -> Value {
    let format = find(&document(media_type, schema));
    if !format.is_of_document {
        return Value::Null;
    }
    assert_eq!(format.media_type, media_type);
    fill(&format.body, ("route_not_found", 404))
}

#[test]
fn error_schemas_with_a_text_are_filled() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let required = |properties: Value| {
        let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let message = "the service cannot answer now; try again later";
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    for (what, media_type, schema, expected) in [
        (
            "dropshot",
            "application/json",
            json!({"type": "object", "required": ["message", "request_id"],
                   "properties": {"error_code": text, "message": text, "request_id": text}}),
            json!({"error_code": "route_not_found", "message": message, "request_id": id}),
        ),
        (
            "RFC 9457",
            "application/problem+json",
            object(
                json!({"type": text, "title": text, "status": number, "detail": text, "instance": text}),
            ),
            json!({"type": "route_not_found", "title": "Not Found", "status": 404, "detail": message,
                   "instance": format!("urn:uuid:{id}")}),
        ),
        (
            "RFC 9457 with absolute types",
            "application/problem+json",
            required(json!({"type": {"type": "string", "format": "uri"}, "title": text})),
            json!({"type": "about:blank", "title": message}),
        ),
        (
            "nested, the code a number",
            "application/json",
            object(
                json!({"error": required(json!({"code": number, "message": text, "param": {"type": "string", "nullable": true}}))}),
            ),
            json!({"error": {"code": 404, "message": message, "param": null}}),
        ),
        (
            "JSON:API",
            "application/vnd.api+json",
            object(json!({"errors": {"type": "array", "minItems": 1, "items":
                object(json!({"id": text, "status": text, "code": text, "title": text, "detail": text}))}})),
            json!({"errors": [{"id": id, "status": "404", "code": "route_not_found", "title": "Not Found", "detail": message}]}),
        ),
        (
            "gRPC, with an enumeration that has no code of the gate",
            "application/json",
            object(
                json!({"error": object(json!({"code": number, "message": text,
                "status": {"type": "string", "enum": ["OK", "NOT_FOUND", "INTERNAL"]}}))}),
            ),
            json!({"error": {"code": 404, "message": message}}),
        ),
        (
            "OAuth 2, which requires one of an enumeration",
            "application/json",
            required(
                json!({"error": {"type": "string", "enum": ["invalid_request", "server_error"]}, "error_description": text}),
            ),
            json!({"error": "invalid_request", "error_description": message}),
        ),
        (
            "texts in a list",
            "application/json",
            required(
                json!({"errors": {"type": "array", "items": text}, "success": {"type": "boolean"}}),
            ),
            json!({"errors": [message], "success": false}),
        ),
        (
            "texts by their code",
            "application/json",
            json!({"type": "object", "additionalProperties": {"type": "array", "items": text}}),
            json!({"route_not_found": [message]}),
        ),
        (
            "parts and alternatives",
            "application/json",
            json!({"oneOf": [
                {"type": "object", "properties": {"state": {"enum": ["reset"]}}, "required": ["state"]},
                {"allOf": [required(json!({"state": {"type": "string", "enum": ["other"]}}))
                    .as_object().map(|it| json!({"type": "object", "properties": it["properties"], "required": it["required"]})).unwrap(),
                    object(json!({"message": text}))]}
            ]}),
            json!({"state": "other", "message": message}),
        ),
        (
            "required values of other kinds",
            "application/json",
            required(
                json!({"message": text, "retries": {"type": "integer", "minimum": 1}, "path": text,
                "help": {"type": "string", "format": "uri"}}),
            ),
            json!({"message": message, "retries": 1, "path": "", "help": "https://example.com"}),
        ),
        ("a text", "text/plain", text.clone(), json!(message)),
        (
            "no text",
            "application/json",
            object(json!({"count": number})),
            Value::Null,
        ),
        (
            "a text that is too short for the gate",
            "application/json",
            object(json!({"message": {"type": "string", "maxLength": 5}})),
            Value::Null,
        ),
    ] {
        let found = body_of_404(media_type, schema.clone());
        // What fills a value without a meaning is up to the samples.
        if let Some(help) = expected.get("help") {
            assert!(help.is_string(), "{what}");
            assert_eq!(found["retries"], expected["retries"], "{what}");
            continue;
        }
        assert_eq!(found, expected, "{what}");
    }
}

#[test]
fn body_is_written_as_rust() {
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {
        "errors": {"type": "array", "items": {"type": "object", "properties": {
            "code": {"type": "integer"}, "message": text, "request_id": text, "instance": text,
        }}}
    }});
    let text = find(&document("application/json", schema)).render_file();
    let expected = r#"        json!({
            "errors": [
                {
                    "code": error.status.as_u16(),
                    "instance": format!("urn:uuid:{}", error.request_id),
                    "message": error.message,
                    "request_id": error.request_id
                }
            ]
        }).to_string()"#;
    assert!(text.contains(expected), "{text}");
    syn::parse_file(&text).unwrap();
}

#[test]
fn schema_with_the_most_telling_text_and_then_the_most_responses_wins() {
    let content = |schema: Value| json!({"content": {"application/json": {"schema": schema}}});
    let named =
        |name: &str| content(json!({"type": "object", "properties": {name: {"type": "string"}}}));
    let map = content(json!({"type": "object", "additionalProperties": {"type": "string"}}));
    let get = |responses: Value| json!({"get": {"responses": responses}});
    let document = json!({"paths": {
        "/a": get(json!({"400": map, "401": map, "402": map, "403": map})),
        "/b": get(json!({"400": named("detail"), "401": named("message"), "default": named("message"), "200": named("detail")})),
    }});
    assert_eq!(find(&document).body, json!({"message": body::MESSAGE}));
}

#[test]
fn component_that_no_error_response_has_is_not_taken_whatever_its_name() {
    let measured = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}});
    let document = json!({
        "paths": {"/a": {"get": {"responses": {"200": measured, "404": {"description": "None."}}}}},
        "components": {"schemas": {"Error": {"type": "object", "properties": {
            "message": {"type": "string"}, "code": {"type": "string"}, "margin": {"type": "number"}
        }}}},
    });
    assert!(!find(&document).is_of_document);
    let mut failing = document.clone();
    failing["paths"]["/a"]["get"]["responses"]["4XX"] = measured;
    assert!(find(&failing).is_of_document);
}

/// The documents in a folder, in depth.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let found = paths.flat_map(|path| match path.extension() {
        _ if path.is_dir() => documents(&path),
        Some(end) if ["json", "yaml", "yml"].map(Some).contains(&end.to_str()) => vec![path],
        _ => Vec::new(),
    });
    found.collect()
}

#[test]
fn error_schemas_of_real_services_are_recognized_and_bodies_are_valid() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/openapi");
    if !corpus.is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing");
        println!("skipped: there is no corpus at {}", corpus.display());
        return;
    }
    let mut missing = Vec::new();
    for path in documents(&corpus) {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(document) = spec_model::Document::parse("a", &text) else {
            continue;
        };
        let document = document.root().to_json();
        let version = document["openapi"].as_str().unwrap_or_default();
        let bodies = error_bodies(&document);
        if !version.starts_with("3.0.") || bodies.is_empty() {
            continue;
        }
        let format = find(&document);
        println!("{}: {} {}", path.display(), format.media_type, format.body);
        let mut schemas = bodies.iter().filter(|body| body.0 == format.media_type);
        let is_valid = schemas.any(|(_, schema)| {
            let validator = compile(&document, schema, Direction::Response).unwrap();
            let mut bodies = SAMPLES.into_iter().map(|sample| fill(&format.body, sample));
            bodies.all(|body| validator.is_valid(&body))
        });
        if !(format.is_of_document && is_valid) {
            missing.push(path);
        }
    }
    assert!(missing.is_empty(), "not recognized: {missing:?}");
}
