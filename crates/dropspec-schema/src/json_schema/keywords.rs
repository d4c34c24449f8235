//! The keywords of a schema that contain no schema: `null`, and bounds of numbers.

use serde_json::{Map, Value, json};

/// The exclusive bounds of numbers, each with the bound that it is a flag of in OpenAPI 3.0.
pub const EXCLUSIVE_BOUNDS: [(&str, &str); 2] = [
    ("exclusiveMinimum", "minimum"),
    ("exclusiveMaximum", "maximum"),
];

/// Makes a schema accept null too, even where an enumeration or a combination would exclude it.
pub(super) fn allow_null(mut schema: Map<String, Value>) -> Value {
    // Of listed values, only those are valid (OpenAPI 3.0.3, the clarification of `nullable`).
    let lists_others = |values: &Value| {
        values
            .as_array()
            .is_some_and(|it| !it.contains(&Value::Null))
    };
    if schema.get("enum").is_some_and(lists_others) {
        return Value::Object(schema);
    }
    let combinations = ["allOf", "anyOf", "oneOf", "not"];
    if combinations
        .iter()
        .any(|keyword| schema.contains_key(*keyword))
    {
        return json!({ "anyOf": [{ "enum": [null] }, schema] });
    }
    if let Some(Value::String(kind)) = schema.get("type") {
        let kinds = json!([kind, "null"]);
        schema.insert("type".to_owned(), kinds);
    }
    Value::Object(schema)
}

/// Adds the type `null`.
pub(super) fn add_null_type(mut schema: Map<String, Value>) -> Value {
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) => kinds.push("null".into()),
        Some(kind) => *kind = json!([kind, "null"]),
        None => {}
    }
    Value::Object(schema)
}

/// Converts the flags of bounds, which JSON Schema 2020-12 has as bounds of their own, and adds the bounds of integers.
/// Draft 4 forbids the flag without the bound.
pub(super) fn convert_bounds(
    source: &Map<String, Value>,
    target: &mut Map<String, Value>,
    is_newer: bool,
) {
    for (flag, bound) in EXCLUSIVE_BOUNDS {
        if source.contains_key(bound)
            && let Some(value @ Value::Bool(_)) = source.get(flag)
        {
            target.insert(flag.to_owned(), value.clone());
        }
    }
    add_integer_bounds(target);
    for (flag, bound) in EXCLUSIVE_BOUNDS.into_iter().filter(|_| is_newer) {
        if target.shift_remove(flag) == Some(Value::Bool(true)) {
            let value = target.shift_remove(bound);
            target.extend(value.map(|value| (flag.to_owned(), value)));
        }
    }
}

/// Replaces the `format` of an integer by the bounds that it implies, where the schema's own bounds are not
/// narrower. An integer without a format has 64 bits, as its generated type has.
fn add_integer_bounds(schema: &mut Map<String, Value>) {
    let format = match schema.get("type").map(Value::as_str) {
        Some(Some("integer")) => schema.shift_remove("format"),
        // Another schema for the same value can name the type.
        None if has_integer_format(schema) => schema.shift_remove("format"),
        _ => return,
    };
    let format = format.as_ref().and_then(Value::as_str);
    let (minimum, maximum) = integer_range(format.unwrap_or_default());
    let (minimum, maximum) = (json!(minimum), json!(maximum));
    if schema
        .get("minimum")
        .is_none_or(|own| is_less(own, &minimum))
    {
        schema.insert("minimum".to_owned(), minimum);
        schema.shift_remove("exclusiveMinimum");
    }
    if schema
        .get("maximum")
        .is_none_or(|own| is_less(&maximum, own))
    {
        schema.insert("maximum".to_owned(), maximum);
        schema.shift_remove("exclusiveMaximum");
    }
}

/// Compares two numbers, integers exactly: as floats, those at the ends of 64 bits are equal to others.
fn is_less(number: &Value, other: &Value) -> bool {
    let exact = |value: &Value| {
        let unsigned = value.as_u64().map(i128::from);
        value.as_i64().map(i128::from).or(unsigned)
    };
    match (exact(number), exact(other)) {
        (Some(number), Some(other)) => number < other,
        _ => number.as_f64() < other.as_f64(),
    }
}

fn has_integer_format(schema: &Map<String, Value>) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    format.is_some_and(|format| format.starts_with("int") || format.starts_with("uint"))
}

/// The least and the greatest integer of a format; of 64 bits without one that is known.
pub fn integer_range(format: &str) -> (i128, i128) {
    let unsigned = |most: u64| (0, i128::from(most));
    match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "uint8" => unsigned(u8::MAX.into()),
        "uint16" => unsigned(u16::MAX.into()),
        "uint32" => unsigned(u32::MAX.into()),
        "uint64" | "uint" => unsigned(u64::MAX),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}
