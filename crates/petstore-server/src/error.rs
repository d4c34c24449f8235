//! Turns every refusal and failure into the `Error` object of the interface. The
//! status belongs to the code and is never chosen here; details of a failure go
//! to the log, never to the client.

use dropshot::{Body, HttpResponseError};
use http::Response;
use petstore_api::ErrorCode;
use petstore_api::types::Error;
use slog::Logger;
use spec_runtime::Rejection;

use crate::logging::Causes;
use crate::rule_violation::RuleViolation;
use crate::store::{EngineError, StoreError};

/// The `Error` with this code.
pub fn of(code: ErrorCode, message: String) -> Error {
    Error {
        code: code.as_str().to_owned(),
        message,
        status: code.status().into(),
    }
}

/// The `Error` that says nothing, for what only the log should know.
pub fn internal() -> Error {
    of(ErrorCode::InternalError, "an internal error occurred; the log of the server holds the details under this X-Request-Id".to_owned())
}

/// The `Error` for what may work a little later.
pub fn unavailable() -> Error {
    of(
        ErrorCode::Unavailable,
        "the service cannot answer now; try again later".to_owned(),
    )
}

/// What a client is told about an error of the store; the rest goes to `log`.
pub fn of_store(error: StoreError, log: &Logger) -> Error {
    match error {
        StoreError::RuleViolation(violation) => violation.into(),
        StoreError::Engine(EngineError::Unavailable(cause)) => {
            slog::warn!(log, "the store is unavailable"; "error" => %Causes(&*cause));
            unavailable()
        }
        StoreError::Engine(EngineError::Internal(cause)) => {
            slog::error!(log, "the store failed"; "error" => %Causes(&*cause));
            internal()
        }
    }
}

/// The answer that carries an error.
pub fn into_response(error: Error) -> Response<Body> {
    let status = error.status_code().as_status();
    let text = serde_json::to_string(&error).expect("an Error is plain strings and a number");
    Response::builder()
        .status(status)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(text.into())
        .expect("status and header are valid")
}

impl From<RuleViolation> for Error {
    fn from(violation: RuleViolation) -> Error {
        of(code_of(&violation), violation.to_string())
    }
}

fn code_of(violation: &RuleViolation) -> ErrorCode {
    match violation {
        RuleViolation::PetNotFound { .. } => ErrorCode::PetNotFound,
        RuleViolation::CategoryNotFound { .. } => ErrorCode::CategoryNotFound,
        RuleViolation::OrderNotFound { .. } => ErrorCode::OrderNotFound,
        RuleViolation::CategoryExists { .. } => ErrorCode::CategoryExists,
        RuleViolation::CategoryInUse { .. } => ErrorCode::CategoryInUse,
        RuleViolation::PetHasOpenOrders { .. } => ErrorCode::PetHasOpenOrders,
        RuleViolation::InvalidStatusTransition { .. } => ErrorCode::InvalidStatusTransition,
        RuleViolation::PetNotAvailable { .. } => ErrorCode::PetNotAvailable,
        RuleViolation::InsufficientStock { .. } => ErrorCode::InsufficientStock,
        RuleViolation::OrderAlreadyComplete { .. } => ErrorCode::OrderAlreadyComplete,
        RuleViolation::ValidationFailed { .. } => ErrorCode::ValidationFailed,
        RuleViolation::UnknownCategory { .. } => ErrorCode::UnknownCategory,
        RuleViolation::UnknownPet { .. } => ErrorCode::UnknownPet,
        RuleViolation::IdempotencyKeyReused => ErrorCode::IdempotencyKeyReused,
    }
}

/// `Rejection` and `Error` both live elsewhere, so this cannot be a `From`.
pub fn of_rejection(rejection: &Rejection) -> Error {
    let code = match rejection {
        Rejection::MalformedRequest { .. } => ErrorCode::MalformedRequest,
        Rejection::InvalidParameter { .. } => ErrorCode::InvalidParameter,
        Rejection::UnsupportedMediaType { .. } => ErrorCode::UnsupportedMediaType,
        Rejection::ValidationFailed { .. } => ErrorCode::ValidationFailed,
    };
    of(code, rejection.to_string())
}
