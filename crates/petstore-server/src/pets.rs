//! Pets and their rules: the stock of a new pet, the allowed changes of status, and when a pet may be deleted.
//!
//! Pure functions over records; the store loads and saves them.

use petstore_api::ErrorCode;
pub use petstore_api::types::NewPet;
use petstore_api::types::PetStatus;
use serde::{Deserialize, Serialize};

use crate::inventory::{InventoryItem, insufficient_stock};
use crate::rule_violation::{RuleViolation, format_count};

/// A pet, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pet {
    /// Assigned by the store; never reused.
    pub id: i64,
    /// The animal's name.
    pub name: String,
    /// The category it belongs to. It exists.
    pub category_id: i64,
    /// Its status.
    pub status: PetStatus,
}

/// The first status and stock of a pet: one unit if it is available, else none.
pub fn initial_stock(new: &NewPet) -> InventoryItem {
    let status = new.status.unwrap_or(PetStatus::Available);
    let quantity = match status {
        PetStatus::Available => 1,
        PetStatus::Pending | PetStatus::Sold => 0,
    };
    InventoryItem {
        pet_id: 0,
        quantity,
        status,
    }
}

/// Checks that a pet may be replaced by a request, and returns its status and stock afterwards.
///
/// `item` is its stock before, `open_orders` the number of its open orders.
///
/// # Errors
///
/// `invalid_status_transition`, `insufficient_stock`, `pet_has_open_orders`.
pub fn stock_after_replace(
    item: &InventoryItem,
    open_orders: i64,
    new: &NewPet,
) -> Result<InventoryItem, RuleViolation> {
    use PetStatus::{Available, Pending, Sold};

    let pet_id = item.pet_id;
    let to = new.status.unwrap_or(item.status);
    match (item.status, to) {
        (Available, Available) | (Pending, Pending) | (Sold, Sold) => Ok(*item),
        (Available, Pending) => Ok(InventoryItem {
            status: to,
            ..*item
        }),
        (Pending, Available) if item.quantity > 0 => Ok(InventoryItem {
            status: to,
            ..*item
        }),
        (Pending, Available) => Err(insufficient_stock(pet_id, item.quantity, 1)),
        (Available | Pending, Sold) => {
            check_delete(pet_id, open_orders)?;
            Ok(InventoryItem {
                status: to,
                quantity: 0,
                ..*item
            })
        }
        (Sold, Available | Pending) => {
            let message = format!(
                "pet {pet_id} is {} and cannot be made {to} by hand; set its inventory above 0 to reopen it",
                item.status
            );
            let code = ErrorCode::InvalidStatusTransition;
            Err(RuleViolation::new(code, message))
        }
    }
}

/// Checks that a pet may be deleted, given the number of its open orders.
///
/// # Errors
///
/// `pet_has_open_orders`.
pub fn check_delete(pet_id: i64, open_orders: i64) -> Result<(), RuleViolation> {
    match open_orders {
        0 => Ok(()),
        _ => Err(has_open_orders(pet_id, open_orders)),
    }
}

/// The pet has open orders, so it cannot be deleted or set to sold.
pub(crate) fn has_open_orders(pet_id: i64, open_orders: i64) -> RuleViolation {
    let open_orders = format_count(open_orders, "open order");
    let message = format!("pet {pet_id} has {open_orders}; complete or cancel first");
    RuleViolation::new(ErrorCode::PetHasOpenOrders, message)
}

#[cfg(test)]
mod tests;
