//! What the text of a parameter means, and which values have no text.

use dropspec_client::{Encoding, Style};
use dropspec_runtime::Document;
use dropspec_schema::{Direction, Validator, compile};
use serde_json::{Value, json};

use crate::declared::DeclaredParameter;

/// The value that the text of a scalar means, by the type in a schema; `None` if that depends on more than a type.
pub(crate) fn read_scalar(document: &Document, schema: &Value, value: &Value) -> Option<Value> {
    let schema = document.resolve(schema)?;
    let mut compositions = ["allOf", "oneOf", "anyOf", "not"].into_iter();
    if compositions.any(|key| schema.get(key).is_some()) {
        return None;
    }
    let text = to_text(value)?;
    let read = match schema.get("type").and_then(Value::as_str)? {
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

/// What a value has in common with all that are written as the same texts: a scalar is its text, and a list of one item is that item.
pub(crate) fn as_written(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.len() == 1 => as_written(&items[0]),
        Value::Array(items) => items.iter().map(as_written).collect(),
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !is_nothing(value));
            let members = members.map(|(name, value)| (name.clone(), as_written(value)));
            Value::Object(members.collect())
        }
        Value::Number(number) => match number.as_f64() {
            Some(whole) if number.is_f64() && whole.fract() == 0.0 => format!("{whole:.0}").into(),
            _ => number.to_string().into(),
        },
        other => to_text(other).map_or(Value::Null, Value::String),
    }
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
    // Nothing is escaped.
    if style == Style::Cookie && (!text.is_ascii() || text.contains([' ', ';', '\\'])) {
        return true;
    }
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

/// Whether another parameter may take members of an object, which are parameters of their own: no request tells whose they are.
pub(crate) fn is_shared(
    document: &Value,
    parameters: &[DeclaredParameter],
    parameter: &DeclaredParameter,
    value: &Value,
) -> bool {
    let is_spread = |of: &DeclaredParameter| match of.encoding.encoding {
        Encoding::Style { style, explode, .. } => explode && style != Style::DeepObject,
        _ => false,
    };
    let Some(members) = value.as_object().filter(|_| is_spread(parameter)) else {
        return false;
    };
    let mut others = parameters.iter().filter(|it| {
        it.location == parameter.location
            && ["query", "cookie"].contains(&it.location)
            && it.name != parameter.name
    });
    // A type of named properties keeps no others.
    let names_none = |of: &DeclaredParameter| {
        let schema = dropspec_schema::resolve(document, &of.schema).unwrap_or(&of.schema);
        schema.get("properties").is_none() || schema.get("additionalProperties").is_some()
    };
    others.any(|other| {
        let schema = compile(document, &other.schema, Direction::Request);
        let is_free = |schema: &Validator| schema.is_valid(&json!({ "another-name": "text" }));
        members.contains_key(other.name)
            || is_spread(other) && names_none(other) && schema.is_ok_and(|schema| is_free(&schema))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_text_are_written_the_same() {
        for (value, other, expected) in [
            (json!(["0"]), json!("0"), true),
            (json!("0"), json!(0), true),
            (json!("0"), json!(0.0), true),
            (
                json!({ "a": "true", "b": null }),
                json!({ "a": true }),
                true,
            ),
            (json!(["a", "b"]), json!("a"), false),
            (json!("0"), json!(0.5), false),
            (json!({ "a": "1" }), json!({ "b": 1 }), false),
        ] {
            assert_eq!(
                as_written(&value) == as_written(&other),
                expected,
                "{value} {other}"
            );
        }
    }
}
