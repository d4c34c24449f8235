//! The body of an error of the gate: JSON in which some texts are marks, for which each error has a value of its own.

use http::StatusCode;
use serde_json::{Value, json};

pub(super) const MESSAGE: &str = "{{message}}";
pub(super) const CODE: &str = "{{code}}";
pub(super) const STATUS: &str = "{{status}}";
pub(super) const STATUS_TEXT: &str = "{{status-text}}";
pub(super) const STATUS_WORDS: &str = "{{status-words}}";
pub(super) const REQUEST_ID: &str = "{{request-id}}";
/// The id of the request as a URI (RFC 9562, section 4).
pub(super) const REQUEST_URI: &str = "{{request-uri}}";

/// The marks, each with the Rust expression of its value for a variable `error`.
const EXPRESSIONS: [(&str, &str); 7] = [
    (MESSAGE, "error.message"),
    (CODE, "error.code"),
    (STATUS, "error.status.as_u16()"),
    (STATUS_TEXT, "error.status.as_str()"),
    (
        STATUS_WORDS,
        "error.status.canonical_reason().unwrap_or(\"Error\")",
    ),
    (REQUEST_ID, "error.request_id"),
    (REQUEST_URI, "format!(\"urn:uuid:{}\", error.request_id)"),
];

/// An error of the gate: its code and its status.
pub(super) type Sample = (&'static str, u16);

/// The errors of the gate (`ErrorKind` of spec-gate), by which a body is tried.
pub(super) const SAMPLES: [Sample; 20] = [
    ("malformed_request", 400),
    ("invalid_parameter", 400),
    ("missing_api_key", 401),
    ("invalid_api_key", 401),
    ("revoked_api_key", 401),
    ("insufficient_access", 403),
    ("route_not_found", 404),
    ("method_not_allowed", 405),
    ("request_timeout", 408),
    ("request_refused", 409),
    ("precondition_failed", 412),
    ("body_too_large", 413),
    ("unsupported_media_type", 415),
    ("validation_failed", 422),
    ("rate_limit_exceeded", 429),
    ("api_key_banned", 429),
    ("internal_error", 500),
    ("outcome_unknown", 500),
    ("not_implemented", 501),
    ("unavailable", 503),
];

/// A text as long as those of the gate.
const SAMPLE_MESSAGE: &str = "the service cannot answer now; try again later";
const SAMPLE_ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// What an error makes of a body.
pub(super) fn fill(body: &Value, sample: Sample) -> Value {
    let (code, status) = sample;
    match body {
        Value::String(text) => match text.as_str() {
            MESSAGE => json!(SAMPLE_MESSAGE),
            CODE => json!(code),
            STATUS => json!(status),
            STATUS_TEXT => json!(status.to_string()),
            STATUS_WORDS => {
                let status = StatusCode::from_u16(status).ok();
                json!(status.and_then(|status| status.canonical_reason()))
            }
            REQUEST_ID => json!(SAMPLE_ID),
            REQUEST_URI => json!(format!("urn:uuid:{SAMPLE_ID}")),
            _ => body.clone(),
        },
        Value::Array(items) => items.iter().map(|item| fill(item, sample)).collect(),
        Value::Object(members) => {
            let name = |name: &str| if name == CODE { code } else { name }.to_owned();
            let members = members.iter();
            let members = members.map(|(key, value)| (name(key), fill(value, sample)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

/// The body as the macro `json!` takes it, for a variable `error` in a method.
pub(super) fn render(body: &Value) -> String {
    let text = format!("{body:#}");
    let lines = text.lines().map(|line| {
        let indent = line.len() - line.trim_start().len();
        " ".repeat(indent) + line
    });
    let text = lines.collect::<Vec<_>>().join("\n        ");
    let text = text.replace(&format!("\"{CODE}\":"), "(error.code):");
    EXPRESSIONS.iter().fold(text, |text, (mark, expression)| {
        text.replace(&format!("\"{mark}\""), expression)
    })
}
