//! Pets and their rules: what a new pet starts with, which status may follow which, and when a pet may go.
//!
//! Pure functions over records. Loading and saving them is the store's work.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::categories::Category;
use crate::inventory::InventoryItem;
use crate::refusal::Refusal;

/// Where a pet stands in its sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PetStatus {
    /// Free units can be ordered; there is at least one.
    Available,
    /// Takes no new orders: the last unit is on order, or the pet was set aside by hand.
    Pending,
    /// No units, no open orders.
    Sold,
}

/// A pet of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pet {
    /// Given by the store on creation, never reused.
    pub id: i64,
    /// The animal's name.
    pub name: String,
    /// The category it belongs to, which exists.
    pub category_id: i64,
    /// Where it stands in its sale.
    pub status: PetStatus,
}

/// What a client says of a pet, on creating and on replacing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPet {
    /// The animal's name.
    pub name: String,
    /// The category it is to belong to.
    pub category_id: i64,
    /// Left out, a new pet is available, and an existing one stays as it is.
    pub status: Option<PetStatus>,
}

/// What a new pet starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Its status.
    pub status: PetStatus,
    /// Its free units: 1 if it is available, else 0.
    pub stock: i64,
}

impl PetStatus {
    /// The status as the interface spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            PetStatus::Available => "available",
            PetStatus::Pending => "pending",
            PetStatus::Sold => "sold",
        }
    }
}

impl fmt::Display for PetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Creates a pet. `category` is what the store has under `new.category_id`.
///
/// # Errors
///
/// [`Refusal::UnknownCategory`].
pub fn create(new: &NewPet, category: Option<&Category>) -> Result<Opening, Refusal> {
    must_be_known(new, category)?;
    let status = new.status.unwrap_or(PetStatus::Available);
    let stock = match status {
        PetStatus::Available => 1,
        PetStatus::Pending | PetStatus::Sold => 0,
    };
    Ok(Opening { status, stock })
}

/// Replaces a pet by what the client says of it, and returns its stock afterwards.
///
/// `item` is its stock before, `open_orders` how many orders hold units of it,
/// `category` what the store has under `new.category_id`.
///
/// # Errors
///
/// [`Refusal::UnknownCategory`], [`Refusal::InvalidStatusTransition`], [`Refusal::InsufficientStock`],
/// [`Refusal::PetHasOpenOrders`].
pub fn replace(
    item: &InventoryItem,
    open_orders: i64,
    new: &NewPet,
    category: Option<&Category>,
) -> Result<InventoryItem, Refusal> {
    use PetStatus::{Available, Pending, Sold};

    must_be_known(new, category)?;
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
        (Pending, Available) => Err(Refusal::InsufficientStock {
            pet_id,
            free: item.quantity,
            needed: 1,
        }),
        (Available | Pending, Sold) => {
            delete(pet_id, open_orders)?;
            Ok(InventoryItem {
                status: to,
                quantity: 0,
                ..*item
            })
        }
        (Sold, Available | Pending) => Err(Refusal::InvalidStatusTransition {
            pet_id,
            from: item.status,
            to,
        }),
    }
}

/// Whether a pet may be deleted, given how many orders hold units of it.
///
/// # Errors
///
/// [`Refusal::PetHasOpenOrders`].
pub fn delete(pet_id: i64, open_orders: i64) -> Result<(), Refusal> {
    match open_orders {
        0 => Ok(()),
        _ => Err(Refusal::PetHasOpenOrders {
            pet_id,
            open_orders,
        }),
    }
}

fn must_be_known(new: &NewPet, category: Option<&Category>) -> Result<(), Refusal> {
    match category {
        Some(_) => Ok(()),
        None => Err(Refusal::UnknownCategory {
            id: new.category_id,
        }),
    }
}

#[cfg(test)]
mod tests;
