//! Phrases that messages are composed of.

use serde_json::Value;
use wire_codec::quote::{quote_text, truncate};

/// Writes a client's value as JSON for a message, truncated.
pub(super) fn quote_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote_text(text),
        other => truncate(&other.to_string()).into_owned(),
    }
}

/// The name of a JSON type with its article, such as `a string`.
pub(super) fn type_with_article(name: &str) -> &'static str {
    match name {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

/// Lists the allowed values of an enumeration for a message, in full: they come from the document.
pub(super) fn list_values(options: &Value) -> String {
    let options = options.as_array().into_iter().flatten();
    let options: Vec<String> = options.map(Value::to_string).collect();
    match options.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", options.join(", ")),
    }
}

/// Writes a number with its noun in the singular or plural, such as `2 items`.
pub(super) fn format_count(number: u64, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{number} {noun}")
}

/// Describes a `format` of a schema for a message, with an example where that helps.
pub(super) fn describe_format(format: &str) -> String {
    let known = match format {
        "date-time" => "a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z",
        "date" => "a date (RFC 3339), such as 2026-11-21",
        "time" => "a time with its offset (RFC 3339), such as 12:00:00Z",
        "uuid" => "a UUID",
        "byte" => "base64 with padding",
        "email" => "an email address",
        "uri" => "a URI",
        "hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        other => return format!("of the format {other}"),
    };
    known.to_owned()
}
