//! Schemas in the words that typify understands.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};
use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType, Spec, Value};

use crate::client::document::{describe, reference};

/// A schema of the document, rewritten.
pub(super) fn schema(spec: &Spec, of: &SchemaRef) -> Json {
    match of {
        SchemaRef::Ref { name, .. } => json!({ "$ref": reference(name) }),
        SchemaRef::Inline(of) => inline(spec, of),
    }
}

fn inline(spec: &Spec, of: &Schema) -> Json {
    let mut result = Map::new();
    if !of.all_of.is_empty() && (of.all_of.len() > 1 || !of.properties.is_empty()) {
        let mut properties = IndexMap::new();
        let mut required = HashSet::new();
        let mut closed = false;
        gather(spec, of, &mut properties, &mut required, &mut closed, 0);
        result.insert("type".to_owned(), json!("object"));
        object(
            spec,
            &properties,
            &|name| required.contains(name),
            &mut result,
        );
        if closed {
            result.insert("additionalProperties".to_owned(), json!(false));
        }
    } else {
        keywords(spec, of, &mut result);
    }
    let nulls = of
        .enumeration
        .as_deref()
        .unwrap_or_default()
        .iter()
        .any(|v| v.value == Value::Null);
    if of.nullable || nulls {
        result.insert("nullable".to_owned(), json!(true));
    }
    let mut result = Json::Object(result);
    describe(&mut result, of.description.as_deref());
    result
}

fn keywords(spec: &Spec, of: &Schema, result: &mut Map<String, Json>) {
    let list = |schemas: &[SchemaRef]| {
        schemas
            .iter()
            .map(|of| schema(spec, of))
            .collect::<Vec<_>>()
    };
    for (key, schemas) in [
        ("allOf", &of.all_of),
        ("oneOf", &of.one_of),
        ("anyOf", &of.any_of),
    ] {
        if !schemas.is_empty() {
            result.insert(key.to_owned(), json!(list(schemas)));
        }
    }
    let schema_type = match of.schema_type {
        None if !of.properties.is_empty() => Some(SchemaType::Object),
        other => other,
    };
    if let Some(schema_type) = schema_type {
        result.insert("type".to_owned(), json!(schema_type.as_str()));
    }
    if let Some(format) = of.format.as_ref().filter(|format| is_known(&format.value)) {
        result.insert("format".to_owned(), json!(format.value));
    }
    if let Some(values) = &of.enumeration {
        let strings: Vec<&str> = values.iter().filter_map(spec_model::Node::as_str).collect();
        if !strings.is_empty() && matches!(of.schema_type, None | Some(SchemaType::String)) {
            result.insert("type".to_owned(), json!("string"));
            result.insert("enum".to_owned(), json!(strings));
        }
    }
    if schema_type == Some(SchemaType::Array) {
        let items = of
            .items
            .as_ref()
            .map_or(json!({}), |items| schema(spec, items));
        result.insert("items".to_owned(), items);
    }
    object(spec, &of.properties, &|name| of.requires(name), result);
    match &of.additional_properties {
        Some(AdditionalProperties::Forbidden) => {
            result.insert("additionalProperties".to_owned(), json!(false));
        }
        Some(AdditionalProperties::Schema(rest)) => {
            result.insert("additionalProperties".to_owned(), schema(spec, rest));
        }
        Some(AdditionalProperties::Allowed) | None => {}
    }
}

fn object(
    spec: &Spec,
    properties: &IndexMap<String, SchemaRef>,
    requires: &dyn Fn(&str) -> bool,
    result: &mut Map<String, Json>,
) {
    if properties.is_empty() {
        return;
    }
    let one_way = |of: &SchemaRef| match of {
        SchemaRef::Ref { .. } => false,
        SchemaRef::Inline(of) => of.read_only || of.write_only,
    };
    let required: Vec<&String> = properties
        .iter()
        .filter(|(name, of)| requires(name) && !one_way(of))
        .map(|(name, _)| name)
        .collect();
    let members: Map<String, Json> = properties
        .iter()
        .map(|(name, of)| (name.clone(), schema(spec, of)))
        .collect();
    result.insert("properties".to_owned(), json!(members));
    if !required.is_empty() {
        result.insert("required".to_owned(), json!(required));
    }
}

/// What an `allOf` adds up to. The plan has refused circles and contradictions.
fn gather(
    spec: &Spec,
    of: &Schema,
    properties: &mut IndexMap<String, SchemaRef>,
    required: &mut HashSet<String>,
    closed: &mut bool,
    depth: usize,
) {
    if depth < 32 {
        for part in of.all_of.iter().filter_map(|part| spec.resolve(part)) {
            gather(spec, part, properties, required, closed, depth + 1);
        }
    }
    properties.extend(
        of.properties
            .iter()
            .map(|(name, of)| (name.clone(), of.clone())),
    );
    required.extend(of.required.iter().map(|name| name.value.clone()));
    *closed |= of.additional_properties == Some(AdditionalProperties::Forbidden);
}

/// Formats that typify has a type for; others are only text.
fn is_known(format: &str) -> bool {
    matches!(
        format,
        "date"
            | "date-time"
            | "double"
            | "float"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "ip"
            | "ipv4"
            | "ipv6"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uuid"
    )
}
