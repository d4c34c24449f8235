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

/// Keywords that combine schemas.
const COMBINATIONS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];
/// Keywords that speak of values of one type only.
const TYPED: [(&str, &[&str]); 4] = [
    (
        "object",
        &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ],
    ),
    ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
    ("string", &["minLength", "maxLength", "pattern"]),
    (
        "number",
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
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
    if !bent.contains_key("type") {
        imply_type(&mut bent);
    }
    Value::Object(bent)
}

/// dropshot writes nothing of a schema without a type but one combination of others. So a type that the
/// keywords imply is said, and several combinations become one.
fn imply_type(schema: &mut Map<String, Value>) {
    let implied = TYPED.iter().find(|(_, keywords)| {
        let mut keywords = keywords.iter();
        keywords.any(|keyword| schema.contains_key(*keyword))
    });
    let of_values = schema.get("enum").and_then(Value::as_array);
    let implied = match (implied, of_values.and_then(|values| type_of_all(values))) {
        (Some((implied, _)), _) | (None, Some(implied)) => Some(implied),
        (None, None) => None,
    };
    if let Some(implied) = implied {
        schema.insert("type".to_owned(), Value::from(*implied));
        return;
    }
    let combined = COMBINATIONS
        .iter()
        .filter_map(|keyword| schema.shift_remove_entry(*keyword));
    let mut combined: Vec<(String, Value)> = combined.collect();
    if combined.len() > 1 {
        let each = combined
            .drain(..)
            .map(|(keyword, value)| serde_json::json!({ keyword: value }));
        combined = vec![("allOf".to_owned(), each.collect())];
    }
    schema.extend(combined);
}

/// The one type of an enumeration's values, null aside.
fn type_of_all(values: &[Value]) -> Option<&'static &'static str> {
    let type_of = |value: &Value| match value {
        Value::String(_) => Some(&"string"),
        Value::Bool(_) => Some(&"boolean"),
        Value::Number(number) if number.is_i64() => Some(&"integer"),
        Value::Number(_) => Some(&"number"),
        _ => None,
    };
    let mut types = values.iter().filter(|value| !value.is_null()).map(type_of);
    let first = types.next()??;
    types.all(|other| other == Some(first)).then_some(first)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_dropshot_would_lose_is_said_otherwise() {
        let all_of = || json!([{ "type": "object" }]);
        let rows = [
            (
                json!({ "properties": {} }),
                json!({ "properties": {}, "type": "object" }),
                "an object by its keywords",
            ),
            (
                json!({ "allOf": all_of(), "required": ["a"] }),
                json!({ "allOf": all_of(), "required": ["a"], "type": "object" }),
                "beside a combination",
            ),
            (
                json!({ "enum": ["a", null] }),
                json!({ "enum": ["a", null], "type": "string" }),
                "by its values",
            ),
            (
                json!({ "enum": ["a", 1] }),
                json!({ "enum": ["a", 1] }),
                "values of two types imply none",
            ),
            (
                json!({ "allOf": all_of() }),
                json!({ "allOf": all_of() }),
                "one combination stands as it is",
            ),
            (
                json!({ "allOf": all_of(), "not": {} }),
                json!({ "allOf": [{ "allOf": all_of() }, { "not": {} }] }),
                "two would make dropshot panic",
            ),
            (
                json!({ "$ref": "#/a", "type": "object" }),
                json!({ "$ref": "#/a" }),
                "siblings of a reference mean nothing",
            ),
            (
                json!({ "type": "string", "maxLength": 5_000_000_000_u64 }),
                json!({ "type": "string" }),
                "a count past 32 bits",
            ),
            (
                json!({ "properties": { "required": { "maximum": 1, "exclusiveMaximum": true } } }),
                json!({ "properties": { "required": { "exclusiveMaximum": 1, "type": "number" } }, "type": "object" }),
                "names of properties are no keywords",
            ),
        ];
        for (schema, expected, reason) in rows {
            assert_eq!(bend(&schema), expected, "{reason}");
        }
    }
}
