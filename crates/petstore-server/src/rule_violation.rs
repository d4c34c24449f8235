//! Rule violations: the error that a rule of the domain answers a request with.

use chrono::{DateTime, Datelike, Utc};
use petstore_api::ErrorCode;
use thiserror::Error;

/// The rule of the petstore that a request violates: the error that the client gets. The status belongs to the code.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct RuleViolation {
    /// The error code of the document.
    pub code: ErrorCode,
    /// What is wrong, with ids and numbers, and what to do.
    pub message: String,
}

impl RuleViolation {
    /// A violation with an error code of its own.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> RuleViolation {
        RuleViolation {
            code,
            message: message.into(),
        }
    }

    /// The record named in the path does not exist. `code` is that of its kind, such as `pet_not_found`.
    pub fn not_found(code: ErrorCode, id: i64) -> RuleViolation {
        let name = code.as_str();
        let name = name.strip_suffix("_not_found").unwrap_or(name);
        RuleViolation::new(
            code,
            format!("{} {id} does not exist", name.replace('_', " ")),
        )
    }

    /// The record that the body names does not exist. `code` is that of its kind, such as `unknown_pet`.
    pub fn unknown(code: ErrorCode, id: i64) -> RuleViolation {
        let name = code.as_str();
        let name = name
            .strip_prefix("unknown_")
            .unwrap_or(name)
            .replace('_', " ");
        let message = format!("{name} {id} does not exist; create it first, or name one that does");
        RuleViolation::new(code, message)
    }

    /// The body matches its schema but not the rules of the operation. `pointer` is the JSON pointer (RFC 6901) to the invalid
    /// property, `""` for the whole body; the message says what is valid.
    pub fn invalid(pointer: &str, message: &str) -> RuleViolation {
        let message = format!("{pointer}: {message}");
        RuleViolation::new(ErrorCode::ValidationFailed, message)
    }

    /// The record is not one that the request's precondition admits.
    pub fn precondition_failed() -> RuleViolation {
        let message =
            "the record has changed since; read it again, and repeat the request with its new ETag";
        RuleViolation::new(ErrorCode::PreconditionFailed, message)
    }

    /// The caller used the idempotency key before, for a request with another body.
    pub fn idempotency_key_reused() -> RuleViolation {
        let message = "this Idempotency-Key was used with another body in the last 24 hours; take a new key for a new request";
        RuleViolation::new(ErrorCode::IdempotencyKeyReused, message)
    }
}

/// Checks that the year of a time, in UTC, has four digits, as RFC 3339 requires for the response, and its order in the database.
/// A time with an offset may be valid in the request and outside this range in UTC.
///
/// # Errors
///
/// `validation_failed`.
pub fn check_year(
    pointer: &str,
    time: Option<DateTime<Utc>>,
) -> Result<Option<DateTime<Utc>>, RuleViolation> {
    match time {
        Some(time) if !(0..=9999).contains(&time.year()) => {
            let message = "must lie in the years 0000 to 9999 in UTC";
            Err(RuleViolation::invalid(pointer, message))
        }
        time => Ok(time),
    }
}

/// Formats a number with its noun, in the singular or the plural.
pub fn format_count(number: i64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inventory, pets};

    #[test]
    fn message_contains_ids_and_numbers() {
        let needed = inventory::insufficient_stock(7, 1, 3);
        let message = "pet 7 has 1 unit free, the request needs 3";
        assert_eq!(needed.to_string(), message);
        let open_orders = pets::has_open_orders(7, 2);
        let message = "pet 7 has 2 open orders; complete or cancel first";
        assert_eq!(open_orders.to_string(), message);
        let absent = RuleViolation::not_found(ErrorCode::PetNotFound, 7);
        assert_eq!(absent.to_string(), "pet 7 does not exist");
        let unknown = RuleViolation::unknown(ErrorCode::UnknownCategory, 3);
        let message = "category 3 does not exist; create it first, or name one that does";
        assert_eq!(unknown.to_string(), message);
    }
}
