//! Why the store says no: one variant for each refusal that its rules can give.
//!
//! What a refusal becomes in HTTP (status, code) is decided where HTTP is known, not here.

use thiserror::Error;

use crate::pets::PetStatus;

/// A refusal by the rules of the store. Its Display is a sentence that the client's developer can act on.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The category named in the path does not exist.
    #[error("category {id} does not exist")]
    CategoryNotFound {
        /// The id that was asked for.
        id: i64,
    },

    /// The pet named in the path does not exist.
    #[error("pet {id} does not exist")]
    PetNotFound {
        /// The id that was asked for.
        id: i64,
    },

    /// The order named in the path does not exist; a cancelled one is gone.
    #[error("order {id} does not exist")]
    OrderNotFound {
        /// The id that was asked for.
        id: i64,
    },

    /// A pet was to be put into a category that does not exist.
    #[error("category {id} does not exist; create it first, or name one that does")]
    UnknownCategory {
        /// The `categoryId` that was given.
        id: i64,
    },

    /// An order names a pet that does not exist.
    #[error("pet {id} does not exist, so it cannot be ordered")]
    UnknownPet {
        /// The `petId` that was given.
        id: i64,
    },

    /// Another category bears the name, ignoring case.
    #[error("category {id} already has this name (upper and lower case are not told apart)")]
    CategoryExists {
        /// The category that has the name.
        id: i64,
    },

    /// The category still has pets.
    #[error("category {id} still has pets, pet {pet_id} for one; move or delete them first")]
    CategoryInUse {
        /// The category that was to be deleted.
        id: i64,
        /// One of its pets.
        pet_id: i64,
    },

    /// The pet cannot be sold by hand or deleted while open orders hold units of it.
    #[error("pet {pet_id} has {}; complete or cancel first", count(*open_orders, "open order"))]
    PetHasOpenOrders {
        /// The pet.
        pet_id: i64,
        /// How many open orders it has, at least 1.
        open_orders: i64,
    },

    /// The pet's status does not lead to the one that was asked for.
    #[error(
        "pet {pet_id} is {from} and cannot be made {to} by hand; set its inventory above 0 to reopen it"
    )]
    InvalidStatusTransition {
        /// The pet.
        pet_id: i64,
        /// Its status.
        from: PetStatus,
        /// The status that was asked for.
        to: PetStatus,
    },

    /// Fewer units are free than the request needs.
    #[error("pet {pet_id} has {} free, the request needs {needed}", count(*free, "unit"))]
    InsufficientStock {
        /// The pet.
        pet_id: i64,
        /// Its free units.
        free: i64,
        /// The units that would have had to be free.
        needed: i64,
    },

    /// The pet takes no new orders.
    #[error("pet {pet_id} is {status}; only an available pet can be ordered")]
    PetNotAvailable {
        /// The pet.
        pet_id: i64,
        /// Its status.
        status: PetStatus,
    },

    /// A completed order never changes again.
    #[error("order {id} is complete and can be neither changed nor cancelled")]
    OrderAlreadyComplete {
        /// The order.
        id: i64,
    },

    /// The body, though of the right shape, asks for something that this operation does not do.
    #[error("{pointer}: {message}")]
    ValidationFailed {
        /// JSON pointer (RFC 6901) to the member at fault, `""` for the whole body.
        pointer: &'static str,
        /// What would have been right.
        message: String,
    },

    /// The caller used the idempotency key before, for another body.
    #[error(
        "this Idempotency-Key was used with another body in the last 24 hours; take a new key for a new request"
    )]
    IdempotencyKeyReused,
}

/// A count and its noun, in the singular or the plural.
fn count(number: i64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_ids_and_figures_involved() {
        let cases = [
            (
                Refusal::InsufficientStock {
                    pet_id: 7,
                    free: 1,
                    needed: 3,
                },
                "pet 7 has 1 unit free, the request needs 3",
            ),
            (
                Refusal::PetHasOpenOrders {
                    pet_id: 7,
                    open_orders: 2,
                },
                "pet 7 has 2 open orders; complete or cancel first",
            ),
            (
                Refusal::PetNotAvailable {
                    pet_id: 7,
                    status: PetStatus::Pending,
                },
                "pet 7 is pending; only an available pet can be ordered",
            ),
            (
                Refusal::ValidationFailed {
                    pointer: "/petId",
                    message: "is needed".into(),
                },
                "/petId: is needed",
            ),
        ];
        for (refusal, sentence) in cases {
            assert_eq!(refusal.to_string(), sentence);
        }
    }
}
