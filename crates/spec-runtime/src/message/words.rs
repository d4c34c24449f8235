//! Words and phrases of which messages are made.

use std::borrow::Cow;

use serde_json::Value;

/// So many characters of a client's own data are repeated to it.
const ECHO: usize = 60;

/// Text of the client's, cut to what may be repeated.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(ECHO) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
    }
}

/// A value of the client's as JSON, cut to what may be repeated.
pub(super) fn quote(value: &Value) -> String {
    match value {
        Value::String(text) => Value::from(shorten(text).into_owned()).to_string(),
        other => shorten(&other.to_string()).into_owned(),
    }
}

/// A JSON type with its article.
pub(crate) fn kind_of(kind: &str) -> &'static str {
    match kind {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

/// The values of an enumeration. They are the document's, so they are told in full.
pub(super) fn list(options: &Value) -> String {
    let all: Vec<String> = options
        .as_array()
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    match all.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", all.join(", ")),
    }
}

pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A format with an example where that helps.
pub(super) fn format(format: &str) -> Cow<'static, str> {
    Cow::Borrowed(match format {
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
        other => return Cow::Owned(format!("of the format {other}")),
    })
}
