//! Pets and their rules: the stock of a new pet, the allowed changes of status, and when a pet may be deleted.
//!
//! Pure functions over records; the store loads and saves them.

use serde::{Deserialize, Serialize};

use crate::categories::Category;
use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::rule_violation::RuleViolation;

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

/// The body of a request that creates or replaces a pet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPet {
    /// The animal's name.
    pub name: String,
    /// The category.
    pub category_id: i64,
    /// The status. `None` makes a new pet available, and does not change an existing one.
    pub status: Option<PetStatus>,
}

/// The status and the free units that a new pet starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitialStock {
    /// Its status.
    pub status: PetStatus,
    /// Its free units: 1 if it is available, else 0.
    pub quantity: i64,
}

/// Checks that a pet may be created, and returns its first status and stock. `category` is the record of
/// `new.category_id`.
///
/// # Errors
///
/// [`RuleViolation::UnknownCategory`].
pub fn initial_stock(
    new: &NewPet,
    category: Option<&Category>,
) -> Result<InitialStock, RuleViolation> {
    require_category(new, category)?;
    let status = new.status.unwrap_or(PetStatus::Available);
    let quantity = match status {
        PetStatus::Available => 1,
        PetStatus::Pending | PetStatus::Sold => 0,
    };
    Ok(InitialStock { status, quantity })
}

/// Checks that a pet may be replaced by a request, and returns its status and stock afterwards.
///
/// `item` is its stock before, `open_orders` the number of its open orders, `category` the record of
/// `new.category_id`.
///
/// # Errors
///
/// [`RuleViolation::UnknownCategory`], [`RuleViolation::InvalidStatusTransition`], [`RuleViolation::InsufficientStock`],
/// [`RuleViolation::PetHasOpenOrders`].
pub fn stock_after_replace(
    item: &InventoryItem,
    open_orders: i64,
    new: &NewPet,
    category: Option<&Category>,
) -> Result<InventoryItem, RuleViolation> {
    use PetStatus::{Available, Pending, Sold};

    require_category(new, category)?;
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
        (Pending, Available) => Err(RuleViolation::InsufficientStock {
            pet_id,
            free: item.quantity,
            needed: 1,
        }),
        (Available | Pending, Sold) => {
            check_delete(pet_id, open_orders)?;
            Ok(InventoryItem {
                status: to,
                quantity: 0,
                ..*item
            })
        }
        (Sold, Available | Pending) => Err(RuleViolation::InvalidStatusTransition {
            pet_id,
            from: item.status,
            to,
        }),
    }
}

/// Checks that a pet may be deleted, given the number of its open orders.
///
/// # Errors
///
/// [`RuleViolation::PetHasOpenOrders`].
pub fn check_delete(pet_id: i64, open_orders: i64) -> Result<(), RuleViolation> {
    match open_orders {
        0 => Ok(()),
        _ => Err(RuleViolation::PetHasOpenOrders {
            pet_id,
            open_orders,
        }),
    }
}

fn require_category(new: &NewPet, category: Option<&Category>) -> Result<(), RuleViolation> {
    match category {
        Some(_) => Ok(()),
        None => Err(RuleViolation::UnknownCategory {
            id: new.category_id,
        }),
    }
}

#[cfg(test)]
mod tests;
