//! Converts schemas to the subset of OpenAPI that typify understands.

use serde_json::{Map, Value as Json, json};
use spec_model::{AdditionalProperties, Schema, SchemaRef, SchemaType, Spec, Value};

use crate::markdown::escape;

/// Converts a schema of the document to the JSON that typify gets.
pub(super) fn convert_schema(spec: &Spec, of: &SchemaRef) -> Json {
    match of {
        SchemaRef::Ref { name, .. } => json!({ "$ref": reference(name) }),
        SchemaRef::Inline(of) => convert_inline(spec, of),
    }
}

fn convert_inline(spec: &Spec, of: &Schema) -> Json {
    let mut result = Map::new();
    if !of.all_of.is_empty() && (of.all_of.len() > 1 || !of.properties.is_empty()) {
        convert_keywords(spec, &merge_all_of(spec, of), &mut result);
    } else {
        convert_keywords(spec, of, &mut result);
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

fn convert_keywords(spec: &Spec, of: &Schema, result: &mut Map<String, Json>) {
    let list = |schemas: &[SchemaRef]| {
        schemas
            .iter()
            .map(|of| convert_schema(spec, of))
            .collect::<Vec<_>>()
    };
    for variants in [&of.one_of, &of.any_of] {
        // Patterns are left out, and without them such variants are the same.
        if let Some(plain) = find_common_scalar(spec, variants) {
            result.extend(plain);
            return;
        }
    }
    for (key, schemas) in [
        ("allOf", &of.all_of),
        ("oneOf", &of.one_of),
        ("anyOf", &of.any_of),
    ] {
        // As in the plan, a composition decides alone.
        if !schemas.is_empty() {
            result.insert(key.to_owned(), json!(list(schemas)));
            return;
        }
    }
    let schema_type = match of.schema_type {
        None if !of.properties.is_empty() => Some(SchemaType::Object),
        other => other,
    };
    if let Some(schema_type) = schema_type {
        result.insert("type".to_owned(), json!(schema_type.as_str()));
    }
    if let Some(format) = known_format(of) {
        result.insert("format".to_owned(), json!(format));
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
            .map_or(json!({}), |items| convert_schema(spec, items));
        result.insert("items".to_owned(), items);
    }
    if schema_type != Some(SchemaType::Object) {
        return;
    }
    convert_properties(spec, of, result);
    match &of.additional_properties {
        Some(AdditionalProperties::Forbidden) => {
            result.insert("additionalProperties".to_owned(), json!(false));
        }
        Some(AdditionalProperties::Schema(rest)) => {
            result.insert(
                "additionalProperties".to_owned(),
                convert_schema(spec, rest),
            );
        }
        Some(AdditionalProperties::Allowed) | None => {}
    }
}

fn convert_properties(spec: &Spec, of: &Schema, result: &mut Map<String, Json>) {
    if of.properties.is_empty() {
        return;
    }
    let one_way = |of: &SchemaRef| match of {
        SchemaRef::Ref { .. } => false,
        SchemaRef::Inline(of) => of.read_only || of.write_only,
    };
    let required: Vec<&String> = of
        .properties
        .iter()
        .filter(|(name, property)| of.requires(name) && !one_way(property))
        .map(|(name, _)| name)
        .collect();
    let properties: Map<String, Json> = of
        .properties
        .iter()
        .map(|(name, property)| (name.clone(), convert_schema(spec, property)))
        .collect();
    result.insert("properties".to_owned(), json!(properties));
    if !required.is_empty() {
        result.insert("required".to_owned(), json!(required));
    }
}

/// One object schema with the properties of a schema and of the schemas in its `allOf`. The plan has reported cycles
/// and contradictions.
fn merge_all_of(spec: &Spec, of: &Schema) -> Schema {
    let mut merged = of.clone();
    merged.all_of.clear();
    merged.properties.clear();
    merged.schema_type = Some(SchemaType::Object);
    merged.additional_properties = None;
    merge_into(spec, of, &mut merged, 0);
    merged
}

fn merge_into(spec: &Spec, of: &Schema, merged: &mut Schema, depth: usize) {
    if depth < 32 {
        for part in of.all_of.iter().filter_map(|part| spec.resolve(part)) {
            merge_into(spec, part, merged, depth + 1);
        }
    }
    merged.properties.extend(of.properties.clone());
    merged.required.extend(of.required.iter().cloned());
    if of.additional_properties == Some(AdditionalProperties::Forbidden) {
        merged.additional_properties = of.additional_properties.clone();
    }
}

/// The format, if typify has a type for it; others are only text.
fn known_format(of: &Schema) -> Option<&str> {
    let format = of.format.as_ref()?.value.as_str();
    let known: &[&str] = match of.schema_type? {
        SchemaType::Integer => &[
            "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
        ],
        SchemaType::Number => &["double", "float"],
        SchemaType::String => &["date", "date-time", "ip", "ipv4", "ipv6", "uuid"],
        SchemaType::Array | SchemaType::Boolean | SchemaType::Object => &[],
    };
    known.contains(&format).then_some(format)
}

/// The type and format of a union whose variants are all the same scalar; `None` for other unions.
fn find_common_scalar(spec: &Spec, variants: &[SchemaRef]) -> Option<Map<String, Json>> {
    let mut plain: Option<Map<String, Json>> = None;
    for variant in variants {
        let mut of = spec.resolve(variant)?;
        for _ in 0..32 {
            match of.all_of.as_slice() {
                [only] if of.properties.is_empty() => of = spec.resolve(only)?,
                _ => break,
            }
        }
        let scalar = of
            .schema_type
            .filter(|t| !matches!(t, SchemaType::Array | SchemaType::Object))?;
        if of.enumeration.is_some() || of.nullable {
            return None;
        }
        let mut own = Map::new();
        own.insert("type".to_owned(), json!(scalar.as_str()));
        if let Some(format) = known_format(of) {
            own.insert("format".to_owned(), json!(format));
        }
        if plain.get_or_insert_with(|| own.clone()) != &own {
            return None;
        }
    }
    plain.filter(|_| variants.len() > 1)
}

/// Adds a description, if it has text, to an element of a document.
pub(super) fn describe(element: &mut Json, description: Option<&str>) {
    if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
        element["description"] = json!(escape(description).trim());
    }
}

/// The text of a `$ref` to the component schema `name`: `#/components/schemas/name`.
pub(super) fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}
