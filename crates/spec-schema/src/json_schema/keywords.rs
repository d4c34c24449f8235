//! The keywords of a schema that contain no schema: `null`, and bounds of numbers.

use serde_json::{Map, Value, json};

/// Boolean keywords of both formats, each with its bound: draft 4 forbids the flag without the bound.
pub(super) const EXCLUSIVE_FLAGS: [(&str, &str); 2] = [
    ("exclusiveMinimum", "minimum"),
    ("exclusiveMaximum", "maximum"),
];

/// Makes a schema accept null too, even where an enumeration or a combination would exclude it.
pub(super) fn allow_null(mut schema: Map<String, Value>) -> Value {
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
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
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

/// Writes bounds with a flag as JSON Schema 2020-12 does: as bounds of their own.
pub(super) fn write_exclusive_bounds(schema: &mut Map<String, Value>) {
    for (flag, bound) in EXCLUSIVE_FLAGS {
        match schema.shift_remove(flag) {
            Some(Value::Bool(true)) => {
                let value = schema.shift_remove(bound);
                schema.extend(value.map(|value| (flag.to_owned(), value)));
            }
            _ => continue,
        }
    }
}

/// Replaces the `format` of an integer by the bounds that it implies, where the schema's own bounds are not
/// narrower. An integer without a format has 64 bits, as its generated type has.
pub(super) fn add_integer_bounds(schema: &mut Map<String, Value>) {
    let format = match schema.get("type").map(Value::as_str) {
        Some(Some("integer")) => schema.shift_remove("format"),
        // Another schema for the same value can name the type.
        None if has_integer_format(schema) => schema.shift_remove("format"),
        _ => return,
    };
    let (minimum, maximum) = integer_range(format.as_ref().and_then(Value::as_str));
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

fn integer_range(format: Option<&str>) -> (Value, Value) {
    match format {
        Some("int8") => (json!(i8::MIN), json!(i8::MAX)),
        Some("int16") => (json!(i16::MIN), json!(i16::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("uint8") => (json!(u8::MIN), json!(u8::MAX)),
        Some("uint16") => (json!(u16::MIN), json!(u16::MAX)),
        Some("uint32") => (json!(u32::MIN), json!(u32::MAX)),
        Some("uint64" | "uint") => (json!(u64::MIN), json!(u64::MAX)),
        _ => (json!(i64::MIN), json!(i64::MAX)),
    }
}
