//! The types of values.

use serde_json::Value;

/// The type of a value as `type` names it; `null` has none in OpenAPI 3.0.
pub(super) fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

/// The type of a value that is given as canonical text.
pub(super) fn type_of_text(text: &str) -> Option<&'static str> {
    type_of(&serde_json::from_str(text).ok()?)
}
