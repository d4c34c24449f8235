//! What the names of properties of error schemas mean, as documents of many teams use them.

use serde_json::Value;

use super::body::{Body, SAMPLES, status_words};

/// What a property of an error schema holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Message,
    Code,
    Status,
    /// A short summary of the kind of error, beside another text.
    Title,
    RequestId,
    /// Whether the request succeeded.
    Success,
}

/// Names of texts for people, the most telling first; in small letters without separators.
const MESSAGES: [&str; 13] = [
    "message",
    "detail",
    "errormessage",
    "errordescription",
    "faultmessage",
    "errormsg",
    "msg",
    "description",
    "text",
    "reason",
    "userfriendlymessage",
    "error",
    "title",
];

/// Names of codes for programs, the most telling first.
const CODES: [&str; 9] = [
    "code",
    "errorcode",
    "faultcode",
    "error",
    "errortype",
    "type",
    "reason",
    "name",
    "key",
];

const STATUSES: [&str; 5] = [
    "status",
    "statuscode",
    "httpstatus",
    "httpstatuscode",
    "httpcode",
];

const REQUEST_IDS: [&str; 7] = [
    "requestid",
    "trackingid",
    "traceid",
    "correlationid",
    "errorid",
    "instance",
    "id",
];

/// How much a name tells of a text for people; less is more. `None`: nothing.
pub(super) fn message_rank(name: &str) -> Option<usize> {
    let plain = plain(name);
    let listed = MESSAGES.iter().position(|known| *known == plain);
    listed.or(plain.ends_with("message").then_some(MESSAGES.len()))
}

/// How much a name tells of a code; less is more. `None`: nothing.
pub(super) fn code_rank(name: &str) -> Option<usize> {
    let plain = plain(name);
    CODES.iter().position(|known| *known == plain)
}

/// What a property holds that is neither the message nor the code of its object.
pub(super) fn other_role(name: &str) -> Option<Role> {
    let plain = plain(name);
    let is = |names: &[&str]| names.contains(&plain.as_str());
    match () {
        () if is(&STATUSES) => Some(Role::Status),
        () if is(&["title"]) => Some(Role::Title),
        () if is(&REQUEST_IDS) => Some(Role::RequestId),
        () if is(&["success", "ok"]) => Some(Role::Success),
        () => None,
    }
}

/// Whether texts in a property of this name, without names of their own, are errors.
pub(super) fn holds_errors(name: &str) -> bool {
    ["error", "errors", "message", "messages"].contains(&plain(name).as_str())
}

/// What may be in a property, the best first; the property's schema decides.
pub(super) fn candidates(name: &str, role: Role, schema: &Value) -> Vec<Body> {
    let constant = |value: &str| Body::Constant(Value::from(value));
    let choice = find_choice(schema);
    let mut bodies = match role {
        Role::Message => return vec![Body::Message],
        Role::Title => return vec![Body::StatusWords],
        Role::Success => return vec![Body::Constant(Value::Bool(false))],
        Role::RequestId if plain(name) == "instance" => {
            return vec![Body::RequestUri, Body::RequestId];
        }
        Role::RequestId => return vec![Body::RequestId, Body::RequestUri],
        Role::Status => vec![Body::Status, Body::StatusText],
        Role::Code => vec![Body::Code],
    };
    bodies.extend(choice);
    match role {
        Role::Code => bodies.extend([Body::Status, Body::StatusText]),
        _ => bodies.push(Body::Code),
    }
    // A problem without a type of its own (RFC 9457, section 4.2.1), and a flag.
    bodies.extend([constant("about:blank"), Body::Constant(Value::Bool(true))]);
    bodies
}

/// The values of an enumeration for the statuses: one that is named after a code or the words of the status.
fn find_choice(schema: &Value) -> Option<Body> {
    let values = schema.get("enum")?.as_array()?;
    let find = |names: &[&str]| {
        let named = |value: &&Value| {
            let name = value.as_str().map(plain);
            name.is_some_and(|name| names.iter().any(|known| plain(known) == name))
        };
        values.iter().find(named)
    };
    let other = find(&[
        "internal",
        "internal_error",
        "internal_server_error",
        "unknown",
        "error",
    ]);
    let other = other.or(values.first())?.clone();
    let mut chosen: Vec<(u16, Value)> = Vec::new();
    for sample in SAMPLES {
        let mut names = vec![sample.code, status_words(sample.status)];
        names.extend(other_names(sample.status));
        if let Some(value) = find(&names)
            && *value != other
            && !chosen.iter().any(|(status, _)| *status == sample.status)
        {
            chosen.push((sample.status, value.clone()));
        }
    }
    Some(if chosen.is_empty() {
        Body::Constant(other)
    } else {
        Body::ByStatus(chosen, other)
    })
}

/// What enumerations call an error with a status, beside its words: the names of gRPC, and others.
fn other_names(status: u16) -> &'static [&'static str] {
    match status {
        400 => &["invalid_argument", "invalid_request", "invalid"],
        401 => &["unauthenticated"],
        403 => &["permission_denied", "access_denied"],
        408 => &["timeout", "deadline_exceeded"],
        409 => &["already_exists"],
        412 => &["failed_precondition"],
        413 => &["request_too_large", "content_too_large", "out_of_range"],
        422 => &[
            "unprocessable_content",
            "validation_error",
            "invalid_argument",
            "invalid",
        ],
        429 => &[
            "resource_exhausted",
            "rate_limited",
            "rate_limit",
            "throttled",
        ],
        501 => &["unimplemented"],
        503 => &["unavailable"],
        _ => &[],
    }
}

/// A name in small letters without separators.
fn plain(name: &str) -> String {
    let signs = name.chars().filter(char::is_ascii_alphanumeric);
    signs.map(|sign| sign.to_ascii_lowercase()).collect()
}
