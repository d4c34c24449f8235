//! The documents that are compared with mutations of themselves: those of a directory, each also as OpenAPI 3.1, and small
//! ones for single schemas. Large ones are cut into pieces of one operation, which are compared in a few milliseconds.

use std::collections::BTreeSet;
use std::path::Path;

use dropspec::project::parse_tree;
use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::mutations::collect_pointers;
use crate::corpus::find_documents;

/// Reads all OpenAPI documents below a directory, each as it is and as 3.1.
pub fn read_documents(directory: &Path) -> anyhow::Result<Vec<(String, Value)>> {
    let mut paths = Vec::new();
    find_documents(directory, &mut paths)?;
    let mut found = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        // Other files are ignored.
        if let Ok(text) = std::fs::read_to_string(&path)
            && let Ok(document) = parse_tree(&name, &text)
        {
            let value = document.root().to_json();
            if let Some(newer) = to_3_1(&value) {
                found.push((format!("{name} as 3.1"), newer));
            }
            found.push((name, value));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// The same document in OpenAPI 3.1; none if it is not of 3.0.
fn to_3_1(document: &Value) -> Option<Value> {
    let version = document.get("openapi")?.as_str()?;
    version.starts_with("3.0").then(|| {
        let mut newer = document.clone();
        newer["openapi"] = "3.1.0".into();
        write_nullable(&mut newer);
        newer
    })
}

/// Writes `nullable` as a type.
fn write_nullable(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(write_nullable),
        Value::Object(members) => {
            let named = members.get("type").filter(|it| it.is_string()).cloned();
            if let (Some(Value::Bool(true)), Some(named)) = (members.get("nullable"), named) {
                members.remove("nullable");
                members.insert("type".to_owned(), serde_json::json!([named, "null"]));
            }
            members.values_mut().for_each(write_nullable);
        }
        _ => {}
    }
}

/// Schemas that documents seldom have, and that are close to others in meaning.
const SCHEMAS: [&str; 20] = [
    r#"{"type": "string", "enum": ["a", "b"]}"#,
    r#"{"enum": ["a", 1, null]}"#,
    r#"{"type": "string", "minLength": 1, "maxLength": 3, "nullable": true}"#,
    r#"{"type": "integer", "minimum": 0, "maximum": 5, "exclusiveMaximum": true}"#,
    r#"{"type": "number", "multipleOf": 0.5, "minimum": 1}"#,
    r#"{"type": "array", "items": {"type": "integer"}, "minItems": 1, "uniqueItems": true}"#,
    r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "integer", "nullable": true}}}"#,
    r#"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#,
    r#"{"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2}"#,
    r#"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#,
    r#"{"anyOf": [{"type": "string", "maxLength": 2}, {"type": "string", "enum": ["abc"]}]}"#,
    r#"{"oneOf": [{"type": "integer", "minimum": 3}, {"type": "integer", "maximum": 5}]}"#,
    r#"{"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}], "nullable": true}"#,
    r#"{"allOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "boolean"}}}]}"#,
    r#"{"allOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {}}}]}"#,
    r#"{"not": {"type": "string"}}"#,
    r#"{"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}"#,
    r#"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer", "readOnly": true}, "key": {"type": "string", "writeOnly": true}}}"#,
    r#"{"type": "string", "format": "uuid"}"#,
    r##"{"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Again"}, "items": {"type": "array", "items": {"$ref": "#/components/schemas/Again"}}}}"##,
];

/// Documents with one schema each, of the body of a request and of a response.
pub fn schema_documents() -> Vec<(String, Value)> {
    let mut documents = Vec::new();
    for (number, text) in SCHEMAS.iter().enumerate() {
        let schema: Value = serde_json::from_str(text).unwrap_or_default();
        let content = json!({ "application/json": { "schema": schema } });
        let document = json!({
            "openapi": "3.0.3",
            "info": { "title": "A schema", "version": "1.0.0" },
            "paths": { "/a": { "post": {
                "requestBody": { "content": content },
                "responses": { "200": { "description": "Yes.", "content": content } }
            } } },
            "components": { "schemas": { "Again": schema } }
        });
        let name = format!("schema {number}");
        if let Some(newer) = to_3_1(&document) {
            documents.push((format!("{name} as 3.1"), newer));
        }
        documents.push((name, document));
    }
    documents
}

/// A document of one random operation, with the components that it needs; the whole document if it has no operation.
pub fn cut(document: &Value, random: &mut Rng) -> Value {
    let Some((path, item)) = choose(&document["paths"], random) else {
        return document.clone();
    };
    let mut members = Map::new();
    for (key, value) in item.as_object().into_iter().flatten() {
        if ["parameters", "servers", "$ref"].contains(&key.as_str()) {
            members.insert(key.clone(), value.clone());
        }
    }
    let operations = item.as_object().into_iter().flatten();
    let operations: Vec<_> = operations.filter(|(key, _)| is_method(key)).collect();
    if !operations.is_empty() {
        let (method, operation) = operations[random.usize(..operations.len())];
        members.insert(method.clone(), operation.clone());
    }
    let mut piece = json!({ "paths": { path: members } });
    for key in ["openapi", "info", "security", "tags", "x-plans"] {
        if let Some(value) = document.get(key) {
            piece[key] = value.clone();
        }
    }
    copy_components(document, &mut piece);
    piece
}

/// Whether a member of a path is an operation.
pub fn is_method(key: &str) -> bool {
    dropspec_model::Method::of_key(key).is_some()
}

fn choose<'v>(value: &'v Value, random: &mut Rng) -> Option<(&'v String, &'v Value)> {
    let members = value.as_object().filter(|members| !members.is_empty())?;
    members.iter().nth(random.usize(..members.len()))
}

/// Copies the components to which the `$ref`s of a piece lead.
fn copy_components(document: &Value, piece: &mut Value) {
    let mut waiting: Vec<String> = references(piece);
    let mut met = BTreeSet::new();
    while let Some(reference) = waiting.pop() {
        let mut parts = reference.splitn(5, '/');
        let (Some("#"), Some("components"), Some(kind), Some(name)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        if !met.insert((kind.to_owned(), name.to_owned())) {
            continue;
        }
        let name = dropspec_schema::pointer::unescape(name);
        if let Some(component) = document["components"][kind].get(&name) {
            waiting.extend(references(component));
            piece["components"][kind][&name] = component.clone();
        }
    }
    if let Some(schemes) = document["components"].get("securitySchemes") {
        piece["components"]["securitySchemes"] = schemes.clone();
    }
}

fn references(value: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    collect_pointers(value, &mut String::new(), &mut pointers);
    let values = pointers.iter().filter_map(|pointer| value.pointer(pointer));
    let found = values.filter_map(|value| value.get("$ref")?.as_str());
    found.map(str::to_owned).collect()
}
