//! Rule violations: one variant for each rule of the domain that can forbid a request.
//!
//! Their error codes in the interface are assigned in `error`, except that of a record that is not there.

use petstore_api::ErrorCode;
use thiserror::Error;

use crate::pet_status::PetStatus;

/// The rule of the petstore that a request violates. Its `Display` is the message of the error that the client gets.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleViolation {
    /// The record named in the path does not exist. A cancelled order does not exist any more.
    #[error("{} {id} does not exist", record_of(*code))]
    NotFound {
        /// The code for records of its kind, such as `pet_not_found`.
        code: ErrorCode,
        /// The requested id.
        id: i64,
    },

    /// The category named in the body of a pet does not exist.
    #[error("category {id} does not exist; create it first, or name one that does")]
    UnknownCategory {
        /// The `categoryId` of the body.
        id: i64,
    },

    /// The pet named in the body of an order does not exist.
    #[error("pet {id} does not exist, so it cannot be ordered")]
    UnknownPet {
        /// The `petId` of the body.
        id: i64,
    },

    /// Another category has the name, regardless of case.
    #[error("category {id} already has this name (upper and lower case are not told apart)")]
    CategoryExists {
        /// The category that has the name.
        id: i64,
    },

    /// The category still has pets.
    #[error("category {id} still has pets, pet {pet_id} for one; move or delete them first")]
    CategoryInUse {
        /// The category.
        id: i64,
        /// One of its pets.
        pet_id: i64,
    },

    /// The pet has open orders, so it cannot be deleted or set to sold.
    #[error("pet {pet_id} has {}; complete or cancel first", format_count(*open_orders, "open order"))]
    PetHasOpenOrders {
        /// The pet.
        pet_id: i64,
        /// How many open orders it has, at least 1.
        open_orders: i64,
    },

    /// The status of the pet cannot be changed to the requested one.
    #[error(
        "pet {pet_id} is {from} and cannot be made {to} by hand; set its inventory above 0 to reopen it"
    )]
    InvalidStatusTransition {
        /// The pet.
        pet_id: i64,
        /// Its status.
        from: PetStatus,
        /// The requested status.
        to: PetStatus,
    },

    /// The pet has fewer free units than the request needs.
    #[error("pet {pet_id} has {} free, the request needs {needed}", format_count(*free, "unit"))]
    InsufficientStock {
        /// The pet.
        pet_id: i64,
        /// Its free units.
        free: i64,
        /// The units that the request needs.
        needed: i64,
    },

    /// The pet cannot be ordered, as it is not available.
    #[error("pet {pet_id} is {status}; only an available pet can be ordered")]
    PetNotAvailable {
        /// The pet.
        pet_id: i64,
        /// Its status.
        status: PetStatus,
    },

    /// The order is complete, so it cannot be changed or cancelled.
    #[error("order {id} is complete and can be neither changed nor cancelled")]
    OrderAlreadyComplete {
        /// The order.
        id: i64,
    },

    /// The record is not one that the request's precondition admits.
    #[error(
        "the record has changed since; read it again, and repeat the request with its new ETag"
    )]
    PreconditionFailed,

    /// The body matches its schema but not the rules of the operation.
    #[error("{pointer}: {message}")]
    ValidationFailed {
        /// JSON pointer (RFC 6901) to the invalid property, `""` for the whole body.
        pointer: &'static str,
        /// What is valid.
        message: String,
    },

    /// The caller used the idempotency key before, for a request with another body.
    #[error(
        "this Idempotency-Key was used with another body in the last 24 hours; take a new key for a new request"
    )]
    IdempotencyKeyReused,
}

/// What a record is called that is not there: `pet` for `pet_not_found`.
fn record_of(code: ErrorCode) -> String {
    let name = code.as_str();
    let name = name.strip_suffix("_not_found").unwrap_or(name);
    name.replace('_', " ")
}

/// Formats a number with its noun, in the singular or the plural.
fn format_count(number: i64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_contains_ids_and_numbers() {
        let needed = RuleViolation::InsufficientStock {
            pet_id: 7,
            free: 1,
            needed: 3,
        };
        let message = "pet 7 has 1 unit free, the request needs 3";
        assert_eq!(needed.to_string(), message);
        let open_orders = RuleViolation::PetHasOpenOrders {
            pet_id: 7,
            open_orders: 2,
        };
        let message = "pet 7 has 2 open orders; complete or cancel first";
        assert_eq!(open_orders.to_string(), message);
        let (code, id) = (ErrorCode::PetNotFound, 7);
        let absent = RuleViolation::NotFound { code, id };
        assert_eq!(absent.to_string(), "pet 7 does not exist");
    }
}
