//! Support for generated types: the error of parsing an enum, and response headers as text.

use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::message::truncate;

/// The error that a text is not one of the values of a generated enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not one of the known values")]
pub struct UnknownValue {
    found: String,
}

impl UnknownValue {
    /// Creates the error for the rejected text. A long text is truncated.
    #[must_use]
    pub fn new(found: &str) -> Self {
        let found = truncate(found).into_owned();
        Self { found }
    }
}

/// Serializes a string, a number or a boolean as a string, and `None` as `None`: dropshot writes only strings into
/// headers. For `#[serde(serialize_with = "…")]` on the fields of a struct of response headers.
///
/// # Errors
///
/// If the value is an array or an object in JSON.
pub fn as_text<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::to_value(value).map_err(S::Error::custom)? {
        Value::Null => serializer.serialize_none(),
        Value::String(text) => serializer.serialize_str(&text),
        Value::Array(_) | Value::Object(_) => Err(S::Error::custom(
            "expected a string, a number or a boolean for a header",
        )),
        scalar => serializer.serialize_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::as_text;

    #[test]
    fn as_text_accepts_scalars_only() {
        let text = |value: serde_json::Value| as_text(&value, serde_json::value::Serializer);
        assert_eq!(text(json!(true)).ok(), Some(json!("true")));
        assert_eq!(text(json!(42)).ok(), Some(json!("42")));
        assert_eq!(text(json!("plain")).ok(), Some(json!("plain")));
        assert!(text(json!([1])).is_err());
    }
}
