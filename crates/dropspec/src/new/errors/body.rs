//! The body of an error of the gate: what it is made of, how the starter writes it in Rust, and what an error makes of it.

use serde_json::{Map, Value, json};

/// A part of an error body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// The text for people.
    Message,
    /// The code for programs.
    Code,
    /// The status as a number.
    Status,
    /// The status as text.
    StatusText,
    /// The words of the status, such as `Not Found`.
    StatusWords,
    /// The id of the request.
    RequestId,
    /// The id of the request as a URI (RFC 9562, section 4).
    RequestUri,
    /// A value of an enumeration for some statuses, and one for all others.
    ByStatus(Vec<(u16, Value)>, Value),
    /// Always the same.
    Constant(Value),
    /// An object with these members.
    Object(Vec<(String, Body)>),
    /// An object whose only member has the code as its name.
    UnderCode(Box<Body>),
    /// An array of one item.
    List(Box<Body>),
}

/// An error of the gate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) code: &'static str,
    pub(super) status: u16,
}

impl Sample {
    const fn new(code: &'static str, status: u16) -> Sample {
        Sample { code, status }
    }
}

/// The errors of the gate (`ErrorKind` of spec-gate), by which a body is tried.
pub(super) const SAMPLES: [Sample; 20] = [
    Sample::new("malformed_request", 400),
    Sample::new("invalid_parameter", 400),
    Sample::new("missing_api_key", 401),
    Sample::new("invalid_api_key", 401),
    Sample::new("revoked_api_key", 401),
    Sample::new("insufficient_access", 403),
    Sample::new("route_not_found", 404),
    Sample::new("method_not_allowed", 405),
    Sample::new("request_timeout", 408),
    Sample::new("request_refused", 409),
    Sample::new("precondition_failed", 412),
    Sample::new("body_too_large", 413),
    Sample::new("unsupported_media_type", 415),
    Sample::new("validation_failed", 422),
    Sample::new("rate_limit_exceeded", 429),
    Sample::new("api_key_banned", 429),
    Sample::new("internal_error", 500),
    Sample::new("outcome_unknown", 500),
    Sample::new("not_implemented", 501),
    Sample::new("unavailable", 503),
];

/// A text as long as those of the gate.
const MESSAGE: &str = "the service cannot answer now; try again later";
const REQUEST_ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

impl Body {
    /// What an error makes of the body.
    pub(super) fn fill(&self, error: Sample) -> Value {
        match self {
            Body::Message => json!(MESSAGE),
            Body::Code => json!(error.code),
            Body::Status => json!(error.status),
            Body::StatusText => json!(error.status.to_string()),
            Body::StatusWords => json!(status_words(error.status)),
            Body::RequestId => json!(REQUEST_ID),
            Body::RequestUri => json!(format!("urn:uuid:{REQUEST_ID}")),
            Body::ByStatus(values, other) => {
                let value = values.iter().find(|(status, _)| *status == error.status);
                value.map_or(other, |(_, value)| value).clone()
            }
            Body::Constant(value) => value.clone(),
            Body::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, body)| (name.clone(), body.fill(error)));
                Value::Object(Map::from_iter(members))
            }
            Body::UnderCode(body) => json!({ error.code: body.fill(error) }),
            Body::List(body) => json!([body.fill(error)]),
        }
    }

    /// The body as the macro `json!` takes it, for a variable `error`; `depth` is that of its line.
    pub(super) fn render(&self, depth: usize) -> String {
        let indent = "    ".repeat(depth);
        match self {
            Body::Message => "error.message".to_owned(),
            Body::Code => "error.code".to_owned(),
            Body::Status => "error.status.as_u16()".to_owned(),
            Body::StatusText => "error.status.as_str()".to_owned(),
            Body::StatusWords => "error.status.canonical_reason().unwrap_or(\"Error\")".to_owned(),
            Body::RequestId => "error.request_id".to_owned(),
            Body::RequestUri => "format!(\"urn:uuid:{}\", error.request_id)".to_owned(),
            Body::ByStatus(values, other) => {
                let arms = values
                    .iter()
                    .map(|(status, value)| format!("{indent}    {status} => {value},\n"));
                let arms: String = arms.collect();
                format!(
                    "match error.status.as_u16() {{\n{arms}{indent}    _ => {other},\n{indent}}}"
                )
            }
            Body::Constant(value) => value.to_string(),
            Body::Object(members) => {
                let members = members.iter().map(|(name, body)| {
                    let body = body.render(depth + 1);
                    format!("{indent}    {name:?}: {body},\n")
                });
                let members: String = members.collect();
                format!("{{\n{members}{indent}}}")
            }
            Body::UnderCode(body) => format!("{{ (error.code): {} }}", body.render(depth)),
            Body::List(body) => format!("[{}]", body.render(depth)),
        }
    }
}

/// The words of a status (RFC 9110, section 15).
pub(super) fn status_words(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        412 => "Precondition Failed",
        413 => "Payload Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => "Error",
    }
}
