//! Sees every answer that a test gets, and holds it against the document: status, headers, content type, body and
//! error code. For what the document cannot describe it knows a short list of its own.

use std::sync::{LazyLock, Mutex};

use http::header::ALLOW;
use http::{Method, StatusCode};
use petstore_api::types::Error;
use petstore_api::{DOCUMENT, ErrorCode, OPERATIONS, Operation};
use spec_runtime::{ResponseValidator, Route, Routes};

use crate::{Answer, Outcome};

/// The declared headers that no answer carries before requests are counted. An answer that has one of them is an
/// error too, so that this list can only shrink.
pub const NEXT_ISSUE_HEADERS: [&str; 3] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
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
    TheDocumentItself,
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
        match target(method, path) {
            Target::Operation(operation) => {
                described(operation, method, answer, &mut found);
            }
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
            Target::TheDocumentItself => {
                if answer.status != StatusCode::OK {
                    found.push("is no 200".to_owned());
                }
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
    let known = ["/openapi.yaml", "/openapi.json"].contains(&path);
    let reads = [Method::GET, Method::HEAD].contains(method);
    match ROUTES.find(method, path) {
        Route::Found { operation, .. } => Target::Operation(operation),
        Route::Options { allow } => Target::Options(text(allow)),
        Route::MethodNotAllowed { allow } => Target::MethodNotAllowed(text(allow)),
        Route::NotFound if known && reads => Target::TheDocumentItself,
        Route::NotFound if known && *method == Method::OPTIONS => Target::Options(READ_ONLY),
        Route::NotFound if known => Target::MethodNotAllowed(READ_ONLY),
        Route::NotFound => Target::UnknownRoute,
    }
}

fn text(allow: &spec_runtime::Allow) -> &str {
    allow.header_value().to_str().unwrap()
}

/// An answer of an operation.
fn described(operation: usize, method: &Method, answer: &Answer, found: &mut Vec<String>) {
    let checked = VALIDATOR.check(operation, answer.status, &answer.headers, &answer.body);
    let mut missing = Vec::new();
    for violation in checked.err().unwrap_or_default() {
        let next_issue = NEXT_ISSUE_HEADERS
            .iter()
            .find(|name| violation.place == format!("header \"{name}\""));
        match next_issue {
            Some(name) if violation.message == "is required" => missing.push(*name),
            // The document describes what GET answers; a HEAD has all of that but the body.
            _ if *method == Method::HEAD && violation.place.starts_with("body") => {}
            _ => found.push(violation.to_string()),
        }
    }
    if missing != NEXT_ISSUE_HEADERS {
        found.push(format!(
            "of {NEXT_ISSUE_HEADERS:?} only {missing:?} are missing: shorten the list"
        ));
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
