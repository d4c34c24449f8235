//! Writes rule violations and errors of the gate as the `Error` object of the interface. The status belongs to the code.

use petstore_api::ErrorCode;
use petstore_api::types::Error;
use spec_gate::error::ErrorInfo;

use crate::rule_violation::RuleViolation;

/// Converts an error of the gate to the `Error` object of the interface.
pub fn to_error(info: ErrorInfo) -> Error {
    Error {
        code: info.code.to_owned(),
        message: info.message,
        status: info.status.as_u16().into(),
    }
}

/// Converts a rule violation to the `Error` object of the interface.
pub fn from_violation(violation: &RuleViolation) -> Error {
    let code = code_of(violation);
    Error {
        code: code.as_str().to_owned(),
        message: violation.to_string(),
        status: code.status().into(),
    }
}

fn code_of(violation: &RuleViolation) -> ErrorCode {
    match violation {
        RuleViolation::NotFound { code, .. } => *code,
        RuleViolation::CategoryExists { .. } => ErrorCode::CategoryExists,
        RuleViolation::CategoryInUse { .. } => ErrorCode::CategoryInUse,
        RuleViolation::PetHasOpenOrders { .. } => ErrorCode::PetHasOpenOrders,
        RuleViolation::InvalidStatusTransition { .. } => ErrorCode::InvalidStatusTransition,
        RuleViolation::PetNotAvailable { .. } => ErrorCode::PetNotAvailable,
        RuleViolation::InsufficientStock { .. } => ErrorCode::InsufficientStock,
        RuleViolation::OrderAlreadyComplete { .. } => ErrorCode::OrderAlreadyComplete,
        RuleViolation::PreconditionFailed => ErrorCode::PreconditionFailed,
        RuleViolation::ValidationFailed { .. } => ErrorCode::ValidationFailed,
        RuleViolation::UnknownCategory { .. } => ErrorCode::UnknownCategory,
        RuleViolation::UnknownPet { .. } => ErrorCode::UnknownPet,
        RuleViolation::IdempotencyKeyReused => ErrorCode::IdempotencyKeyReused,
    }
}
