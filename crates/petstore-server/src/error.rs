//! Writes rule violations and errors of the gate as the `Error` object of the interface. The status belongs to the code.

use dropspec_gate::error::ErrorInfo;
use petstore_api::types::Error;

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
    Error {
        code: violation.code.as_str().to_owned(),
        message: violation.message.clone(),
        status: violation.code.status().into(),
    }
}
