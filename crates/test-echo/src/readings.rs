//! What the text of a parameter means, and which values have no text.

use serde_json::{Map, Value};
use spec_client::{Encoding, Style};
use spec_runtime::Document;

use crate::declared::DeclaredParameter;

/// The deepest nesting of `allOf` that is followed.
const MAX_DEPTH: usize = 16;

/// The value that the text of a value means, by the types in a schema; `None` if that depends on more than types.
pub(crate) fn read_back(document: &Document, schema: &Value, value: &Value) -> Option<Value> {
    let schema = document.resolve(schema)?;
    if ["allOf", "oneOf", "anyOf", "not"]
        .iter()
        .any(|key| schema.get(key).is_some())
    {
        return None;
    }
    let kind = schema.get("type").and_then(Value::as_str)?;
    match (kind, value) {
        ("array", Value::Array(items)) if !items.is_empty() => {
            let item = schema.get("items")?;
            let items = items.iter().map(|value| read_scalar(document, item, value));
            items.collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        ("object", Value::Object(members)) if !members.is_empty() => {
            let mut read = Map::new();
            for (name, value) in members {
                let property = schema.get("properties")?.get(name)?;
                read.insert(name.clone(), read_scalar(document, property, value)?);
            }
            Some(Value::Object(read))
        }
        ("array" | "object", _) => None,
        _ => read_scalar(document, schema, value),
    }
}

pub(crate) fn read_scalar(document: &Document, schema: &Value, value: &Value) -> Option<Value> {
    let kind = document
        .resolve(schema)?
        .get("type")
        .and_then(Value::as_str)?;
    let text = to_text(value)?;
    let read = match kind {
        "integer" | "number" | "boolean" => serde_json::from_str(&text).ok(),
        "string" => None,
        _ => return None,
    };
    Some(read.unwrap_or(Value::String(text)))
}

/// The text of a scalar.
pub(crate) fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The schema of a property, also if a part of an `allOf` declares it.
pub(crate) fn find_property<'d>(
    document: &'d Document,
    schema: &'d Value,
    name: &str,
) -> Option<&'d Value> {
    find_property_within(document, schema, name, MAX_DEPTH)
}

fn find_property_within<'d>(
    document: &'d Document,
    schema: &'d Value,
    name: &str,
    depth: usize,
) -> Option<&'d Value> {
    let schema = document.resolve(schema).filter(|_| depth > 0)?;
    let own = schema
        .get("properties")
        .and_then(|properties| properties.get(name));
    let parts = || schema.get("allOf").and_then(Value::as_array);
    own.or_else(|| {
        let mut parts = parts()?.iter();
        parts.find_map(|part| find_property_within(document, part, name, depth - 1))
    })
}

/// Whether a value has the text of nothing: null, an empty text, or a list or object of nothing.
pub(crate) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => match items.as_slice() {
            [] => true,
            [item] => is_nothing(item),
            _ => false,
        },
        Value::Object(members) => members.values().all(is_nothing),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// Whether no text means a value in the style of its parameter, so that a client may refuse it.
pub(crate) fn has_no_text(parameter: &DeclaredParameter, value: &Value) -> bool {
    // Controls are escaped in JSON.
    let text = value.to_string();
    if parameter.location == "header" && (!text.is_ascii() || text.contains('\\')) {
        return true;
    }
    let Encoding::Style { style, .. } = parameter.encoding.encoding else {
        return false;
    };
    let parts: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    };
    let separators: &[char] = match (style, parameter.location) {
        (Style::SpaceDelimited, _) => &[' '],
        (Style::PipeDelimited, _) => &['|'],
        (Style::Label, _) => &['.'],
        (_, "header") => &[','],
        _ => &[],
    };
    let nested = |value: &Value| value.is_array() || value.is_object() || is_nothing(value);
    let separated = |value: &Value| value.as_str().is_some_and(|text| text.contains(separators));
    is_nothing(value) || parts.iter().any(|part| nested(part) || separated(part))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn text_reads_as_the_type_of_its_schema() {
        let document = Document::from_json("{}");
        let rows = [
            (json!({"type": "string"}), json!(true), Some(json!("true"))),
            (json!({"type": "integer"}), json!("7"), Some(json!(7))),
            (json!({"type": "integer"}), json!("a"), Some(json!("a"))),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                json!([1, "a"]),
                Some(json!(["1", "a"])),
            ),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                json!([[]]),
                None,
            ),
            (json!({"oneOf": []}), json!("a"), None),
        ];
        for (schema, value, expected) in rows {
            assert_eq!(
                read_back(&document, &schema, &value),
                expected,
                "{schema} {value}"
            );
        }
    }

    #[test]
    fn values_without_a_text_may_be_refused_and_others_may_not() {
        let parameter = |location, encoding| DeclaredParameter {
            name: "p",
            location,
            required: false,
            schema: json!({}),
            encoding,
        };
        let path = parameter("path", spec_client::Parameter::path("p"));
        let header = parameter("header", spec_client::Parameter::header("p"));
        let pipes = spec_client::Parameter::query("p").style(Style::PipeDelimited, false);
        let pipes = parameter("query", pipes);
        let rows = [
            (&path, json!(""), true),
            (&path, json!("a b/ü"), false),
            (&path, json!([[1]]), true),
            (&header, json!("a b"), false),
            (&header, json!("a\nb"), true),
            (&header, json!("ü"), true),
            (&header, json!(["a,b"]), true),
            (&pipes, json!(["a|b"]), true),
            (&pipes, json!(["a,b"]), false),
        ];
        for (parameter, value, expected) in rows {
            assert_eq!(has_no_text(parameter, &value), expected, "{value}");
        }
    }
}
