//! Sees every answer that a test gets, and holds it against the document: status, headers, content type, body and
//! error code. For what the document cannot describe it knows a short list of its own.

use std::sync::{LazyLock, Mutex};

use http::header::ALLOW;
use http::{Method, StatusCode};
use petstore_api::types::Error;
use petstore_api::{DOCUMENT, ErrorCode, OPERATIONS, Operation};
use petstore_server::reference::{self, Page};
use spec_runtime::{ResponseValidator, Route, Routes};

use crate::{Answer, Outcome};

/// What every answer says of its caller's limits, whether the document can describe the answer or not.
const LIMIT_HEADERS: [&str; 3] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];

/// What stops those with a key and those without.
const GONE_TOO_FAR: [ErrorCode; 3] = [
    ErrorCode::RateLimitExceeded,
    ErrorCode::ApiKeyBanned,
    ErrorCode::Unavailable,
];

/// What is answered instead of anything that takes a key.
const NOT_ADMITTED: [ErrorCode; 6] = [
    ErrorCode::MissingApiKey,
    ErrorCode::InvalidApiKey,
    ErrorCode::RevokedApiKey,
    ErrorCode::RateLimitExceeded,
    ErrorCode::ApiKeyBanned,
    ErrorCode::Unavailable,
];

static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes::new(&OPERATIONS).unwrap());

static VALIDATOR: LazyLock<ResponseValidator> =
    LazyLock::new(|| ResponseValidator::new(&DOCUMENT, &OPERATIONS).unwrap());

/// What a request was for. All but the first are what the document cannot describe.
enum Target<'r> {
    Operation(usize),
    UnknownRoute,
    MethodNotAllowed(&'r str),
    Options(&'r str),
    Page(Page),
}

/// Remembers what was wrong with the answers it saw.
#[derive(Debug, Default)]
pub struct Witness {
    found: Mutex<Vec<String>>,
}

impl Witness {
    /// Looks at an answer.
    pub fn see(&self, method: &Method, path: &str, answer: &Answer) {
        let mut found = Vec::new();
        if answer.header("X-Request-Id").is_none() {
            found.push("X-Request-Id is missing".to_owned());
        }
        limits(answer, &mut found);
        match target(method, path) {
            Target::Operation(operation) => {
                described(operation, method, answer, &mut found);
            }
            Target::Page(_) if refused(answer, &GONE_TOO_FAR, method) => {}
            Target::Page(page) => {
                let due = match page {
                    Page::Root => StatusCode::FOUND,
                    _ => StatusCode::OK,
                };
                if answer.status != due {
                    found.push(format!("is no {due}"));
                }
            }
            // Where there is no operation, the gate says so only to whoever may go on.
            _ if refused(answer, &NOT_ADMITTED, method) => {}
            Target::UnknownRoute => error(answer, ErrorCode::RouteNotFound, method, &mut found),
            Target::MethodNotAllowed(allow) => {
                error(answer, ErrorCode::MethodNotAllowed, method, &mut found);
                allows(answer, allow, &mut found);
            }
            Target::Options(allow) => {
                if answer.status != StatusCode::NO_CONTENT || !answer.body.is_empty() {
                    found.push("is no empty 204".to_owned());
                }
                allows(answer, allow, &mut found);
            }
        }
        if *method == Method::HEAD && !answer.body.is_empty() {
            found.push("a HEAD is answered without a body".to_owned());
        }
        let status = answer.status.as_u16();
        let found = found.into_iter();
        let found = found.map(|what| format!("{method} {path}: {status}: {what}"));
        self.found.lock().unwrap().extend(found);
    }

    /// What was wrong with the answers so far, a line each. It is forgotten by this.
    pub fn found(&self) -> Vec<String> {
        std::mem::take(&mut *self.found.lock().unwrap())
    }
}

fn target(method: &Method, path: &str) -> Target<'static> {
    const READ_ONLY: &str = "GET, HEAD, OPTIONS";
    let page = reference::find(path);
    let reads = [Method::GET, Method::HEAD].contains(method);
    match ROUTES.find(method, path) {
        Route::Found { operation, .. } => Target::Operation(operation),
        Route::Options { allow } => Target::Options(allow.to_str().unwrap()),
        Route::MethodNotAllowed { allow } => Target::MethodNotAllowed(allow.to_str().unwrap()),
        Route::NotFound => match page {
            Some(page) if reads => Target::Page(page),
            Some(_) if *method == Method::OPTIONS => Target::Options(READ_ONLY),
            Some(_) => Target::MethodNotAllowed(READ_ONLY),
            None => Target::UnknownRoute,
        },
    }
}

/// An answer of an operation.
fn described(operation: usize, method: &Method, answer: &Answer, found: &mut Vec<String>) {
    let checked = VALIDATOR.check(operation, answer.status, &answer.headers, &answer.body);
    for violation in checked.err().unwrap_or_default() {
        // The document describes what GET answers; a HEAD has all of that but the body.
        if *method != Method::HEAD || !violation.part.starts_with("body") {
            found.push(violation.to_string());
        }
    }
    if answer.status.as_u16() >= 400 && *method != Method::HEAD {
        let operation = Operation::ALL[operation];
        let Ok(error) = serde_json::from_slice::<Error>(&answer.body) else {
            return found.push("is no Error".to_owned());
        };
        if error.status != i64::from(answer.status.as_u16()) {
            found.push(format!("the body says {}", error.status));
        }
        let outcome = Outcome {
            operation: operation.info().operation_id.to_owned(),
            status: answer.status.as_u16(),
            code: Some(error.code),
        };
        if !Outcome::declared(operation).contains(&outcome) {
            found.push(format!("{outcome} is not declared"));
        }
    }
}

/// The figures of the caller's limits, and what they say together.
fn limits(answer: &Answer, found: &mut Vec<String>) {
    let figures = LIMIT_HEADERS.map(|name| answer.header(name)?.parse::<u64>().ok());
    let [Some(limit), Some(remaining), Some(_)] = figures else {
        return found.push(format!("{LIMIT_HEADERS:?} are {figures:?}"));
    };
    if remaining > limit {
        found.push(format!("{remaining} of {limit} remain"));
    }
    let status = answer.status;
    let wait = answer.header("Retry-After").map(str::parse::<u64>);
    let waits = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    if waits.contains(&status) != matches!(wait, Some(Ok(1..))) {
        found.push(format!("Retry-After is {wait:?}"));
    }
    let challenge = answer.header("WWW-Authenticate").is_some();
    if (status == StatusCode::UNAUTHORIZED) != challenge {
        found.push("WWW-Authenticate is for 401 and always there".to_owned());
    }
}

/// Whether the gate let the caller go no further, with one of these errors in its due form.
fn refused(answer: &Answer, codes: &[ErrorCode], method: &Method) -> bool {
    codes.iter().any(|code| {
        let mut found = Vec::new();
        error(answer, *code, method, &mut found);
        found.is_empty()
    })
}

/// An error that belongs to no operation.
fn error(answer: &Answer, code: ErrorCode, method: &Method, found: &mut Vec<String>) {
    let content_type = answer.header("Content-Type");
    if answer.status.as_u16() != code.status() || content_type != Some("application/json") {
        found.push(format!("is no {code} as {content_type:?}"));
    }
    if *method == Method::HEAD {
        return;
    }
    match serde_json::from_slice::<Error>(&answer.body) {
        Ok(error) if error.code == code.as_str() && error.status == i64::from(code.status()) => {}
        other => found.push(format!("is no {code}: {other:?}")),
    }
}

fn allows(answer: &Answer, expected: &str, found: &mut Vec<String>) {
    let allow = answer.header(ALLOW.as_str());
    if allow != Some(expected) {
        found.push(format!("Allow is {allow:?}, not {expected}"));
    }
}
