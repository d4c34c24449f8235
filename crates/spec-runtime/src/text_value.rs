//! Values of response headers as text: dropshot writes none but strings into a header.

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Serializes a string, a number or a boolean as a string; `None` stays what it is.
///
/// For `#[serde(serialize_with = "…")]` on a field of a struct of response headers.
///
/// # Errors
///
/// When the value is an array or an object in JSON, which no header holds.
pub fn as_text<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::to_value(value).map_err(S::Error::custom)? {
        Value::Null => serializer.serialize_none(),
        Value::Bool(value) => serializer.serialize_str(if value { "true" } else { "false" }),
        Value::Number(value) => serializer.serialize_str(&value.to_string()),
        Value::String(value) => serializer.serialize_str(&value),
        Value::Array(_) | Value::Object(_) => Err(S::Error::custom(
            "a header holds a string, a number or a boolean",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::as_text;

    #[test]
    fn a_header_is_text_whatever_its_type() {
        let text = |value: serde_json::Value| as_text(&value, serde_json::value::Serializer);
        assert_eq!(text(json!(true)).ok(), Some(json!("true")));
        assert_eq!(text(json!(42)).ok(), Some(json!("42")));
        assert_eq!(text(json!("plain")).ok(), Some(json!("plain")));
        assert!(text(json!([1])).is_err(), "no header is a list");
    }
}
