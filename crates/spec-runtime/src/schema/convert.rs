//! One OpenAPI 3.0 schema as a schemars schema, bent where dropshot would otherwise lose or refuse what it says.

use schemars::schema::Schema;
use serde_json::{Map, Value};

/// Converts the schema found at a place of the document.
pub(super) fn schema(value: &Value, place: &str) -> Schema {
    match serde_json::from_value(bend(value)) {
        Ok(schema) => schema,
        Err(error) => panic!("the schema at {place} cannot be held by schemars: {error}"),
    }
}

/// Keywords that hold a schema.
const ONE: [&str; 3] = ["items", "not", "additionalProperties"];
/// Keywords that hold a list of schemas.
const LIST: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords that schemars counts in 32 bits.
const COUNTS: [&str; 6] = [
    "maxLength",
    "minLength",
    "maxItems",
    "minItems",
    "maxProperties",
    "minProperties",
];

fn bend(value: &Value) -> Value {
    let Value::Object(schema) = value else {
        return value.clone();
    };
    if schema.contains_key("$ref") {
        // Siblings of a reference mean nothing in OpenAPI 3.0.
        return serde_json::json!({ "$ref": schema["$ref"] });
    }
    let mut bent: Map<String, Value> = schema
        .iter()
        .map(|(keyword, value)| (keyword.clone(), bend_keyword(keyword, value)))
        .collect();
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        // OpenAPI 3.0 has a flag beside the bound; schemars has the bound itself.
        if bent.shift_remove(exclusive) == Some(Value::Bool(true))
            && let Some(limit) = bent.shift_remove(bound)
        {
            bent.insert(exclusive.to_owned(), limit);
        }
    }
    // A count past 32 bits bounds nothing that fits into a message.
    bent.retain(|keyword, value| {
        !COUNTS.contains(&keyword.as_str())
            || value
                .as_u64()
                .is_some_and(|count| u32::try_from(count).is_ok())
    });
    Value::Object(bent)
}

fn bend_keyword(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        (_, Value::Object(_)) if ONE.contains(&keyword) => bend(value),
        (_, Value::Array(items)) if LIST.contains(&keyword) => items.iter().map(bend).collect(),
        ("properties", Value::Object(properties)) => Value::Object(
            properties
                .iter()
                .map(|(name, schema)| (name.clone(), bend(schema)))
                .collect(),
        ),
        _ => value.clone(),
    }
}
