//! Support for generated types: response headers as text.

use dropspec_schema::wire::plain;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// Serializes a value as the text of a header with style `simple`, and `None` as `None`: dropshot writes only strings into
/// headers. For `#[serde(serialize_with = "…")]` on the fields of a struct of response headers.
///
/// # Errors
///
/// If the value cannot be written as JSON.
pub fn as_text<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serialize_text(value, serializer, |value| header_text(value, false))
}

/// As [`as_text`], for an object with `explode: true`: `a=1,b=2` instead of `a,1,b,2`.
///
/// # Errors
///
/// As [`as_text`].
pub fn as_exploded_text<T: Serialize, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serialize_text(value, serializer, |value| header_text(value, true))
}

/// As [`as_text`], for a header that is declared by `content`: the value as JSON.
///
/// # Errors
///
/// As [`as_text`].
pub fn as_json_text<T: Serialize, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serialize_text(value, serializer, |value| match value {
        Value::Null => None,
        value => Some(value.to_string()),
    })
}

fn serialize_text<T: Serialize, S: Serializer>(
    value: &T,
    serializer: S,
    to_text: impl FnOnce(&Value) -> Option<String>,
) -> Result<S::Ok, S::Error> {
    let value = serde_json::to_value(value).map_err(S::Error::custom)?;
    match to_text(&value) {
        None => serializer.serialize_none(),
        Some(text) => serializer.serialize_str(&text),
    }
}

/// The text of a header with style `simple`; None for null.
pub(crate) fn header_text(value: &Value, explode: bool) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Object(members) => {
            let separator = if explode { '=' } else { ',' };
            let pairs = members.iter();
            let pairs = pairs.map(|(name, value)| format!("{name}{separator}{}", plain(value)));
            pairs.collect::<Vec<_>>().join(",")
        }
        scalar => plain(scalar),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{as_exploded_text, as_json_text, as_text};

    #[test]
    fn values_become_text_of_a_header() {
        let rows = [
            (json!(true), "true", "true", "true"),
            (json!(42), "42", "42", "42"),
            (json!("plain"), "plain", "plain", "\"plain\""),
            (json!([1, "a"]), "1,a", "1,a", "[1,\"a\"]"),
            (
                json!({ "R": 100, "G": "x" }),
                "R,100,G,x",
                "R=100,G=x",
                "{\"R\":100,\"G\":\"x\"}",
            ),
        ];
        let serializer = || serde_json::value::Serializer;
        for (value, simple, exploded, json) in rows {
            let text = |text: &str| Some(Value::from(text));
            assert_eq!(as_text(&value, serializer()).ok(), text(simple));
            assert_eq!(as_exploded_text(&value, serializer()).ok(), text(exploded));
            assert_eq!(as_json_text(&value, serializer()).ok(), text(json));
        }
        assert_eq!(as_text(&None::<u8>, serializer()).ok(), Some(Value::Null));
    }
}
