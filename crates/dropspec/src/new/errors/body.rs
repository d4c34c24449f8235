//! The body of an error of the gate: JSON in which some texts are marks, for which each error has a value of its own. An object
//! whose only name is a mark stands for a list, or for a choice by the code.

use dropspec_gate::error::ErrorInfo;
use dropspec_runtime::Problem;
use http::StatusCode;
use serde_json::{Map, Value, json};

pub(super) const MESSAGE: &str = "{{message}}";
pub(super) const CODE: &str = "{{code}}";
pub(super) const STATUS: &str = "{{status}}";
pub(super) const STATUS_TEXT: &str = "{{status-text}}";
pub(super) const STATUS_WORDS: &str = "{{status-words}}";
pub(super) const REQUEST_ID: &str = "{{request-id}}";
/// The id of the request as a URI (RFC 9562, section 4).
pub(super) const REQUEST_URI: &str = "{{request-uri}}";
/// A problem of the request, in an item of [`PROBLEMS`] or [`ENTRIES`]: its text, and its place as a JSON pointer, a fragment, a list.
pub(super) const PROBLEM_MESSAGE: &str = "{{problem-message}}";
pub(super) const POINTER: &str = "{{pointer}}";
pub(super) const FRAGMENT: &str = "{{fragment}}";
pub(super) const LOCATION: &str = "{{location}}";
/// The name of an object whose value is the item for each problem of the request.
pub(super) const PROBLEMS: &str = "{{problems}}";
/// The same, with one item that has the message of an error without problems.
pub(super) const ENTRIES: &str = "{{entries}}";
/// The name of an object whose value has a value for each code.
pub(super) const CHOICE: &str = "{{choice}}";

/// The marks, each with the Rust expression of its value for a variable `error`, and `problem` in items of lists.
const EXPRESSIONS: [(&str, &str); 11] = [
    (PROBLEM_MESSAGE, "problem.message"),
    (POINTER, "problem.pointer"),
    (FRAGMENT, "problem.fragment()"),
    (LOCATION, "problem.location()"),
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

/// The errors of the gate (`ErrorKind` of dropspec-gate), by which a body is tried.
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

/// What an error makes of a body, for each of the samples.
pub(super) fn fill(body: &Value, (code, status): Sample) -> Value {
    let pointers: &[&str] = match code {
        "validation_failed" => &["/name", "/items/0/price"],
        _ => &[],
    };
    let problem = |pointer: &str| Problem {
        pointer: pointer.to_owned(),
        message: format!("{SAMPLE_MESSAGE}{pointer}"),
    };
    let problems = pointers.iter().map(|pointer| problem(pointer));
    let error = ErrorInfo {
        code,
        status: StatusCode::from_u16(status).unwrap_or_default(),
        message: SAMPLE_MESSAGE.to_owned(),
        request_id: SAMPLE_ID.to_owned(),
        problems: problems.collect(),
    };
    // An item is tried without its list.
    fill_with(body, &error, Some(&problem("/items/0")))
}

/// What an error makes of a body, or of an item for a problem.
pub(super) fn fill_with(body: &Value, error: &ErrorInfo, problem: Option<&Problem>) -> Value {
    match body {
        Value::String(text) => match (text.as_str(), problem) {
            (PROBLEM_MESSAGE, Some(problem)) => json!(problem.message),
            (POINTER, Some(problem)) => json!(problem.pointer),
            (FRAGMENT, Some(problem)) => json!(problem.fragment()),
            (LOCATION, Some(problem)) => json!(problem.location()),
            (MESSAGE, _) => json!(error.message),
            (CODE, _) => json!(error.code),
            (STATUS, _) => json!(error.status.as_u16()),
            (STATUS_TEXT, _) => json!(error.status.as_str()),
            (STATUS_WORDS, _) => json!(error.status.canonical_reason().unwrap_or("Error")),
            (REQUEST_ID, _) => json!(error.request_id),
            (REQUEST_URI, _) => json!(format!("urn:uuid:{}", error.request_id)),
            _ => body.clone(),
        },
        Value::Array(items) => {
            let items = items.iter();
            items.map(|item| fill_with(item, error, problem)).collect()
        }
        Value::Object(members) => match special(members) {
            // Codes of handlers have the value of a malformed request.
            Some((CHOICE, choice)) => {
                let chosen = choice.get(error.code);
                chosen.unwrap_or(&choice[SAMPLES[0].0]).clone()
            }
            Some((list, item)) => {
                let problems = match list {
                    ENTRIES => error.entries(),
                    _ => error.problems.clone(),
                };
                let problems = problems.iter();
                problems
                    .map(|problem| fill_with(item, error, Some(problem)))
                    .collect()
            }
            None => {
                let name = |name: &str| if name == CODE { error.code } else { name }.to_owned();
                let members = members.iter();
                let members =
                    members.map(|(key, value)| (name(key), fill_with(value, error, problem)));
                Value::Object(members.collect())
            }
        },
        other => other.clone(),
    }
}

/// The mark and the value of an object that stands for something else.
fn special(members: &Map<String, Value>) -> Option<(&'static str, &Value)> {
    let marks = [PROBLEMS, ENTRIES, CHOICE].into_iter();
    let mut found = marks.filter_map(|mark| Some((mark, members.get(mark)?)));
    found.next()
}

/// The item of a list for each problem, of the item for an error.
pub(super) fn per_problem(item: Value) -> Value {
    match item {
        Value::String(text) if text == MESSAGE => json!(PROBLEM_MESSAGE),
        Value::Array(items) => items.into_iter().map(per_problem).collect(),
        Value::Object(mut members) => match members.shift_remove(ENTRIES) {
            // The list of lists has an item in each.
            Some(inner) => json!([inner]),
            None => {
                let members = members.into_iter();
                let members = members.map(|(key, value)| (key, per_problem(value)));
                Value::Object(members.collect())
            }
        },
        other => other,
    }
}

/// The body as the macro `json!` takes it, for a variable `error` in a method.
pub(super) fn render(body: &Value) -> String {
    render_at(body, "        ")
}

fn render_at(body: &Value, indent: &str) -> String {
    let inner = format!("{indent}    ");
    let list = |open: char, items: Vec<String>, close: char| {
        let items: Vec<String> = items
            .iter()
            .map(|item| format!("\n{inner}{item}"))
            .collect();
        format!("{open}{}\n{indent}{close}", items.join(","))
    };
    match body {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| render_at(item, &inner));
            list('[', items.collect(), ']')
        }
        Value::Object(members) if !members.is_empty() => match special(members) {
            Some((CHOICE, choice)) => render_choice(choice, indent),
            Some((mark, item)) => {
                let source = if mark == ENTRIES {
                    "entries()"
                } else {
                    "problems"
                };
                let item = render_at(item, indent);
                format!("error.{source}.iter().map(|problem| json!({item})).collect::<Vec<_>>()")
            }
            None => {
                let members = members.iter().map(|(key, value)| {
                    let key = match key.as_str() {
                        CODE => "(error.code)".to_owned(),
                        key => json!(key).to_string(),
                    };
                    format!("{key}: {}", render_at(value, &inner))
                });
                list('{', members.collect(), '}')
            }
        },
        Value::String(text) => {
            let known = EXPRESSIONS.iter().find(|(mark, _)| mark == text);
            known.map_or_else(
                || body.to_string(),
                |(_, expression)| (*expression).to_owned(),
            )
        }
        _ => body.to_string(),
    }
}

/// The expression that chooses a value by the code of an error. Codes of handlers have the value of a malformed request.
fn render_choice(choice: &Value, indent: &str) -> String {
    let mut arms: Vec<(&Value, Vec<String>)> = Vec::new();
    for (code, value) in choice.as_object().into_iter().flatten() {
        let pattern = json!(code).to_string();
        match arms.iter_mut().find(|(known, _)| *known == value) {
            Some((_, patterns)) => patterns.push(pattern),
            None => arms.push((value, vec![pattern])),
        }
    }
    let rest = &choice[SAMPLES[0].0];
    arms.retain(|(value, _)| *value != rest);
    let arms = arms
        .iter()
        .map(|(value, patterns)| format!("\n{indent}    {} => {value},", patterns.join(" | ")));
    let arms: String = arms.collect();
    format!("match error.code {{{arms}\n{indent}    _ => {rest},\n{indent}}}")
}
