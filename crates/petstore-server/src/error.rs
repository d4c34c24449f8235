//! Writes rule violations and errors as the `Error` object of the interface. The status belongs to the code. Details of
//! an internal error are logged and not sent.

use petstore_api::ErrorCode;
use petstore_api::types::Error;
use slog::Logger;
use spec_gate::error::{ErrorInfo, GateError};
use spec_runtime::Interface as _;

use crate::api::Interface;
use crate::rule_violation::RuleViolation;
use crate::store::StoreError;

/// The `Error` for an error of the gate.
pub fn to_error(info: ErrorInfo) -> Error {
    Error {
        code: info.code.to_owned(),
        message: info.message,
        status: info.status.as_u16().into(),
    }
}

/// The `Error` for an error of the gate without code and status.
pub fn from_gate(error: GateError) -> Error {
    to_error(error.into_info(Interface::error_codes()))
}

/// The `Error` for an error of the store. The details of a failure are logged.
pub fn from_store(error: StoreError, log: &Logger) -> Error {
    match error {
        StoreError::RuleViolation(violation) => from_violation(&violation),
        StoreError::Engine(error) => from_gate(GateError::from_storage(&error.into(), log)),
    }
}

fn from_violation(violation: &RuleViolation) -> Error {
    let code = code_of(violation);
    Error {
        code: code.as_str().to_owned(),
        message: violation.to_string(),
        status: code.status().into(),
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
