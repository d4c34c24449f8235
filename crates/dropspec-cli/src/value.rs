//! The values of flags: text to JSON by the schema, and validation.

use dropspec_schema::wire::beside_null;
use dropspec_schema::{Direction, TypeKind, ValidationError, ValidationErrorKind as Kind, pointer};
use serde_json::Value;

/// Reads the text of a flag as a value of its schema.
pub(crate) fn parse(document: &Value, schema: &Value, text: &str) -> Result<Value, String> {
    let (resolved, is_optional) = beside_null(document, schema);
    if is_optional && text == "null" {
        return Ok(Value::Null);
    }
    let json = serde_json::from_str::<Value>(text).ok();
    let string = Value::String(text.to_owned());
    let wrong = |what: &str| Err(format!("{string} {what}"));
    let candidates = match (resolved["type"].as_str(), json) {
        (Some("string"), _) => vec![string],
        (Some("integer"), Some(Value::Number(number)))
            if !(number.is_i64() || number.is_u64() || number.as_f64() == Some(0.0))
                && is_whole(text) =>
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
pub(crate) fn check(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if !schema.is_object() {
        return Ok(());
    }
    let Ok(validator) = dropspec_schema::compile(document, schema, Direction::Request) else {
        return Ok(());
    };
    let purpose = beside_null(document, schema).0["description"].as_str();
    let described = |error| describe(&error, purpose.unwrap_or_default());
    validator.validate(value).map_err(described)
}

/// A violation with its place in the value, if that is not all of it. `purpose`: what the document says of the whole
/// value. A pattern is not shown: few people read it.
fn describe(error: &ValidationError<'_>, purpose: &str) -> String {
    let place = error.instance_path().as_str();
    let at = |what: &str| match place {
        "" => what.to_owned(),
        place => format!("{place}: {what}"),
    };
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
        Kind::Pattern { .. } => {
            let words: Vec<&str> = purpose.split_whitespace().collect();
            let form = match words.as_slice() {
                words if place.is_empty() && !words.is_empty() => format!(": {}", words.join(" ")),
                _ => String::new(),
            };
            let value = error.instance();
            at(&format!(
                "{value} does not have the form that the service demands{form}"
            ))
        }
        Kind::PropertyNames { error } => at(&format!("the name {}", describe(error, ""))),
        _ => at(&error.to_string()),
    }
}
