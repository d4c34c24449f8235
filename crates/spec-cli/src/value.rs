//! The values of flags: text to JSON by the schema, and validation.

use serde_json::Value;
use spec_schema::Direction;

/// Reads the text of a flag as a value of its schema.
///
/// # Errors
/// Why the text is none.
pub(crate) fn parse(document: &Value, schema: &Value, text: &str) -> Result<Value, String> {
    let resolved = spec_schema::resolve(document, schema).unwrap_or(schema);
    let json = serde_json::from_str::<Value>(text).ok();
    let string = Value::String(text.to_owned());
    let candidates = match (resolved["type"].as_str(), json) {
        (Some("string"), _) => vec![string],
        (Some("integer" | "number" | "boolean"), Some(json)) => vec![json],
        (Some("integer"), None) => return Err("it is no whole number".to_owned()),
        (Some("number"), None) => return Err("it is no number".to_owned()),
        (Some("boolean"), None) => return Err("write `true` or `false`".to_owned()),
        (Some("object" | "array"), Some(json)) => vec![json],
        (Some("object" | "array"), None) => return Err("it is no JSON".to_owned()),
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
    validator.validate(value).map_err(|error| {
        let place = error.instance_path().to_string();
        match place.is_empty() {
            true => error.to_string(),
            false => format!("{place}: {error}"),
        }
    })
}
