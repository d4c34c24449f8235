//! Checks every response that a test receives against the document: status, headers, media type, body and error code.
//! Responses that the document cannot describe are checked against a short list here.

use std::sync::{LazyLock, Mutex};

use dropspec_gate::reference::Page;
use dropspec_runtime::{ResponseValidator, Route, Routes};
use http::{Method, StatusCode};
use petstore_api::types::Error;
use petstore_api::{DOCUMENT, ErrorCode, OPERATIONS, Operation};

use crate::key::API_KEY;
use crate::{DeclaredOutcome, Response};

/// The rate limit headers, which every response must have.
const RATE_LIMIT_HEADERS: [&str; 3] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
];

/// The errors of any request, with an API key or without.
const LIMIT_ERRORS: [ErrorCode; 3] = [
    ErrorCode::RateLimitExceeded,
    ErrorCode::ApiKeyBanned,
    ErrorCode::Unavailable,
];

/// The further errors of a request that needs an API key.
const KEY_ERRORS: [ErrorCode; 3] = [
    ErrorCode::MissingApiKey,
    ErrorCode::InvalidApiKey,
    ErrorCode::RevokedApiKey,
];

static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes::new(&OPERATIONS).unwrap());

static VALIDATOR: LazyLock<ResponseValidator> =
    LazyLock::new(|| ResponseValidator::new(&DOCUMENT, &OPERATIONS).unwrap());

/// What the method and path of a request name: an operation of the document or something beside it.
enum Target {
    Operation(usize),
    UnknownPath,
    WrongMethod(&'static str),
    Options(&'static str),
    Page(Page),
}

/// Checks responses against the document, and collects their violations.
#[derive(Debug, Default)]
pub struct ResponseChecker {
    violations: Mutex<Vec<String>>,
}

impl ResponseChecker {
    /// Checks the response to a request.
    pub fn check(&self, method: &Method, path: &str, response: &Response) {
        let mut violations = Vec::new();
        if response.header("X-Request-Id").is_none() {
            violations.push("X-Request-Id is missing".to_owned());
        }
        check_rate_limit(response, &mut violations);
        check_caching(method, path, response, &mut violations);
        match find_target(method, path) {
            _ if is_host_error(response, method) => {}
            Target::Operation(operation) => {
                check_operation(operation, method, response, &mut violations);
            }
            Target::Page(_) if is_error(response, &LIMIT_ERRORS, method) => {}
            Target::Page(page) => {
                let expected = if page == Page::Root { 302 } else { 200 };
                if response.status != expected {
                    violations.push(format!("the status is not {expected}"));
                }
            }
            // Without a valid key, these are not distinguished from an operation.
            _ if is_error(response, &LIMIT_ERRORS, method)
                || is_error(response, &KEY_ERRORS, method) => {}
            Target::UnknownPath => {
                check_error(response, ErrorCode::RouteNotFound, method, &mut violations);
            }
            Target::WrongMethod(allow) => {
                let code = ErrorCode::MethodNotAllowed;
                check_error(response, code, method, &mut violations);
                check_allow(response, allow, &mut violations);
            }
            Target::Options(allow) => {
                if response.status != 204 || !response.body.is_empty() {
                    violations.push("it is not an empty 204".to_owned());
                }
                check_allow(response, allow, &mut violations);
            }
        }
        if *method == Method::HEAD && !response.body.is_empty() {
            violations.push("the response to HEAD has a body".to_owned());
        }
        let status = response.status;
        let lines = violations.into_iter();
        let lines = lines.map(|violation| format!("{method} {path}: {status}: {violation}"));
        self.violations.lock().unwrap().extend(lines);
    }

    /// Removes and returns the violations so far, a line each.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut *self.violations.lock().unwrap())
    }
}

fn find_target(method: &Method, path: &str) -> Target {
    const READ_ONLY: &str = "GET, HEAD, OPTIONS";
    let page = Page::find(path);
    let reads = [Method::GET, Method::HEAD].contains(method);
    match ROUTES.find(method, path) {
        Route::Found { operation, .. } => Target::Operation(operation),
        Route::Options { allow } => Target::Options(allow.to_str().unwrap()),
        Route::MethodNotAllowed { allow } => Target::WrongMethod(allow.to_str().unwrap()),
        Route::NotFound => match page {
            Some(page) if reads => Target::Page(page),
            Some(_) if *method == Method::OPTIONS => Target::Options(READ_ONLY),
            Some(_) => Target::WrongMethod(READ_ONLY),
            None => Target::UnknownPath,
        },
    }
}

fn check_operation(
    operation: usize,
    method: &Method,
    response: &Response,
    violations: &mut Vec<String>,
) {
    let status = StatusCode::from_u16(response.status).unwrap();
    let checked = VALIDATOR.check(operation, status, &response.headers, &response.body);
    for violation in checked.err().unwrap_or_default() {
        // The document describes the response to GET; that to HEAD lacks the body.
        if *method != Method::HEAD || !violation.part.starts_with("body") {
            violations.push(violation.to_string());
        }
    }
    if response.status >= 400 && *method != Method::HEAD {
        let operation = Operation::ALL[operation];
        let Ok(error) = serde_json::from_slice::<Error>(&response.body) else {
            return violations.push("the body is not an Error".to_owned());
        };
        if error.status != i64::from(response.status) {
            violations.push(format!("the status in the body is {}", error.status));
        }
        let outcome = DeclaredOutcome {
            operation: operation.info().operation_id.to_owned(),
            status: response.status,
            code: Some(error.code),
        };
        if !DeclaredOutcome::of_operation(operation).contains(&outcome) {
            violations.push(format!("{outcome} is not declared"));
        }
    }
}

/// Checks the rate limit headers, and the headers that belong to a status.
fn check_rate_limit(response: &Response, violations: &mut Vec<String>) {
    let values = RATE_LIMIT_HEADERS.map(|name| response.header(name)?.parse::<u64>().ok());
    let [Some(limit), Some(remaining), Some(_)] = values else {
        return violations.push(format!("{RATE_LIMIT_HEADERS:?} are {values:?}"));
    };
    if remaining > limit {
        violations.push(format!("remaining is {remaining} of {limit}"));
    }
    let wait = response.header("Retry-After").map(str::parse::<u64>);
    if [429, 503].contains(&response.status) != matches!(wait, Some(Ok(1..))) {
        violations.push(format!("Retry-After is {wait:?}"));
    }
    let challenge = response.header("WWW-Authenticate").is_some();
    if (response.status == 401) != challenge {
        violations.push("WWW-Authenticate must be sent with 401 and only with 401".to_owned());
    }
}

/// Checks the headers for caches and browsers, which every response must have.
fn check_caching(method: &Method, path: &str, response: &Response, violations: &mut Vec<String>) {
    let is_read = [Method::GET, Method::HEAD].contains(method);
    let caching = match (response.status, Page::find(path)) {
        (200 | 302, Some(page)) if is_read => page.caching(),
        (200 | 304, None) if is_read && response.header("ETag").is_some() => "private, no-cache",
        _ => "no-store",
    };
    let is_page = response.status == 200 && matches!(find_target(method, path), Target::Page(_));
    let expected = if is_page {
        &["accept-encoding", API_KEY][..]
    } else {
        &[API_KEY]
    };
    let vary: Vec<_> = response.headers.get_all("Vary").iter().collect();
    if vary != expected {
        violations.push(format!("Vary is {vary:?}, not {expected:?}"));
    }
    for (name, expected) in [
        ("Cache-Control", Some(caching)),
        ("X-Content-Type-Options", Some("nosniff")),
        // Browsers must ignore it without TLS (RFC 6797, section 8.1).
        ("Strict-Transport-Security", None),
    ] {
        let value = response.header(name);
        if value != expected {
            violations.push(format!("{name} is {value:?}, not {expected:?}"));
        }
    }
}

/// Whether the response is one of these errors, in the required form.
fn is_error(response: &Response, codes: &[ErrorCode], method: &Method) -> bool {
    codes.iter().any(|code| {
        let mut violations = Vec::new();
        check_error(response, *code, method, &mut violations);
        violations.is_empty()
    })
}

/// Whether the response is the error of a request without exactly one valid `Host`, which the document cannot describe.
fn is_host_error(response: &Response, method: &Method) -> bool {
    is_error(response, &[ErrorCode::MalformedRequest], method)
        && (*method == Method::HEAD || response.text().to_ascii_lowercase().contains(" host "))
}

/// Checks an error that belongs to no operation.
fn check_error(
    response: &Response,
    code: ErrorCode,
    method: &Method,
    violations: &mut Vec<String>,
) {
    let media_type = response.header("Content-Type");
    if response.status != code.status() || media_type != Some("application/json") {
        violations.push(format!("it is not {code} in {media_type:?}"));
    }
    if *method == Method::HEAD {
        return;
    }
    match serde_json::from_slice::<Error>(&response.body) {
        Ok(error) if error.code == code.as_str() && error.status == i64::from(code.status()) => {}
        other => violations.push(format!("it is not {code}: {other:?}")),
    }
}

fn check_allow(response: &Response, expected: &str, violations: &mut Vec<String>) {
    let allow = response.header("Allow");
    if allow != Some(expected) {
        violations.push(format!("Allow is {allow:?}, not {expected}"));
    }
}
