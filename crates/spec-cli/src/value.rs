//! The values of flags: text to JSON by the schema, and validation.

use serde_json::Value;
use spec_schema::{Direction, TypeKind, ValidationError, ValidationErrorKind as Kind, pointer};

/// Reads the text of a flag as a value of its schema.
///
/// # Errors
/// Why the text is none.
pub(crate) fn parse(document: &Value, schema: &Value, text: &str) -> Result<Value, String> {
    let resolved = spec_schema::resolve(document, schema).unwrap_or(schema);
    let json = serde_json::from_str::<Value>(text).ok();
    let string = Value::String(text.to_owned());
    let wrong = |what: &str| Err(format!("{string} {what}"));
    let candidates = match (resolved["type"].as_str(), json) {
        (Some("string"), _) => vec![string],
        (Some("integer"), Some(Value::Number(number)))
            if number.as_i64().is_none() && is_whole(text) =>
        {
            return wrong("is too large");
        }
        (Some("integer" | "number" | "boolean"), Some(json)) => vec![json],
        (Some("integer"), None) => return wrong("is not a whole number"),
        (Some("number"), None) => return wrong("is not a number"),
        (Some("boolean"), None) => return wrong("is neither `true` nor `false`"),
        (Some("object" | "array"), Some(json)) => vec![json],
        (Some("object" | "array"), None) => return wrong("is not JSON"),
        // A union may have a text that looks like JSON.
        (_, Some(json)) => vec![json, string],
        (_, None) => vec![string],
    };
    let mut reason = String::new();
    for candidate in candidates {
        match check(document, schema, &candidate) {
            Ok(()) => return Ok(candidate),
            Err(error) if reason.is_empty() => reason = error,
            Err(_) => {}
        }
    }
    Err(reason)
}

fn is_whole(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks a value against its schema. A schema that cannot be compiled accepts all; the service decides.
///
/// # Errors
/// The first violation, with its place in the value.
pub(crate) fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if !schema.is_object() {
        return Ok(());
    }
    let Ok(validator) = spec_schema::compile(document, schema, Direction::Request) else {
        return Ok(());
    };
    validator.validate(value).map_err(|error| describe(&error))
}

/// A violation with its place in the value, if that is not all of it.
fn describe(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let member = |name: &str, what: &str| format!("{}: {what}", pointer::join(place, name));
    match error.kind() {
        Kind::Required { property } => member(property.as_str().unwrap_or_default(), "is required"),
        Kind::AdditionalProperties { unexpected } => {
            let first = unexpected.first().map(String::as_str);
            member(first.unwrap_or_default(), "is not a known property")
        }
        Kind::Type {
            kind: TypeKind::Single(kind),
        } if place.is_empty() && kind.as_str() == "integer" => {
            format!("{} is not a whole number", error.instance())
        }
        Kind::Format { format } if place.is_empty() => {
            let what = match format.as_str() {
                "date-time" => "time such as 2026-12-31T23:59:00Z",
                "date" => "date such as 2026-12-31",
                "uuid" => "UUID",
                "uri" => "URI such as https://example.com",
                other => other,
            };
            format!("{} is not a {what}", error.instance())
        }
        _ if place.is_empty() => error.to_string(),
        _ => format!("{place}: {error}"),
    }
}
