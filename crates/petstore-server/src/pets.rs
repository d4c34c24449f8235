//! Pets and their rules: what a new pet starts with, which status may follow which, and when a pet may go.
//!
//! Pure functions over records. Loading and saving them is the store's work.

use std::fmt;

use crate::categories::Category;
use crate::inventory::InventoryItem;
use crate::refusal::Refusal;

/// Where a pet stands in its sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PetStatus {
    /// Free units can be ordered; there is at least one.
    Available,
    /// Takes no new orders: the last unit is on order, or the pet was set aside by hand.
    Pending,
    /// No units, no open orders.
    Sold,
}

/// A pet of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
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
mod tests {
    use super::PetStatus::{Available, Pending, Sold};
    use super::*;

    const FISH: Category = Category {
        id: 3,
        name: String::new(),
        description: None,
    };

    fn new(status: Option<PetStatus>) -> NewPet {
        NewPet {
            name: "Nemo".to_owned(),
            category_id: 3,
            status,
        }
    }

    #[test]
    fn a_new_pet_starts_with_the_stock_of_its_status() {
        let cases = [
            (
                None,
                Available,
                1,
                "available unless said otherwise, and then there is one",
            ),
            (Some(Available), Available, 1, "an available pet has stock"),
            (
                Some(Pending),
                Pending,
                0,
                "a pending one is not to be ordered yet",
            ),
            (Some(Sold), Sold, 0, "a sold one has none"),
        ];
        for (asked, status, stock, reason) in cases {
            assert_eq!(
                create(&new(asked), Some(&FISH)),
                Ok(Opening { status, stock }),
                "{reason}"
            );
        }
    }

    #[test]
    fn a_pet_belongs_to_a_category_that_exists() {
        let unknown = Refusal::UnknownCategory { id: 3 };
        assert_eq!(create(&new(None), None), Err(unknown.clone()));
        let item = InventoryItem {
            pet_id: 7,
            quantity: 1,
            status: Available,
        };
        assert_eq!(replace(&item, 0, &new(None), None), Err(unknown));
    }

    #[test]
    fn a_status_leads_only_where_the_rules_say() {
        let no_stock = Refusal::InsufficientStock {
            pet_id: 7,
            free: 0,
            needed: 1,
        };
        let open_orders = Refusal::PetHasOpenOrders {
            pet_id: 7,
            open_orders: 2,
        };
        let final_for = |to| Refusal::InvalidStatusTransition {
            pet_id: 7,
            from: Sold,
            to,
        };
        // (status, free units, open orders) asked for -> (status, free units)
        let cases = [
            (
                (Available, 2, 0),
                None,
                Ok((Available, 2)),
                "left out, it stays",
            ),
            (
                (Sold, 0, 0),
                None,
                Ok((Sold, 0)),
                "left out, it stays, at the end too",
            ),
            (
                (Available, 2, 1),
                Some(Available),
                Ok((Available, 2)),
                "the same is always allowed",
            ),
            (
                (Pending, 0, 1),
                Some(Pending),
                Ok((Pending, 0)),
                "the same is always allowed",
            ),
            (
                (Sold, 0, 0),
                Some(Sold),
                Ok((Sold, 0)),
                "the same is always allowed",
            ),
            (
                (Available, 2, 1),
                Some(Pending),
                Ok((Pending, 2)),
                "set aside, with its stock",
            ),
            (
                (Pending, 2, 0),
                Some(Available),
                Ok((Available, 2)),
                "back on offer",
            ),
            (
                (Pending, 0, 0),
                Some(Available),
                Err(no_stock),
                "nothing to offer",
            ),
            (
                (Available, 2, 0),
                Some(Sold),
                Ok((Sold, 0)),
                "sold by hand, stock and all",
            ),
            (
                (Pending, 2, 0),
                Some(Sold),
                Ok((Sold, 0)),
                "sold by hand from pending",
            ),
            (
                (Available, 2, 2),
                Some(Sold),
                Err(open_orders.clone()),
                "orders hold units",
            ),
            (
                (Pending, 0, 2),
                Some(Sold),
                Err(open_orders),
                "orders hold the last units",
            ),
            (
                (Sold, 0, 0),
                Some(Available),
                Err(final_for(Available)),
                "sold is the end",
            ),
            (
                (Sold, 0, 0),
                Some(Pending),
                Err(final_for(Pending)),
                "sold is the end",
            ),
        ];
        for ((status, quantity, open), asked, expected, reason) in cases {
            let item = InventoryItem {
                pet_id: 7,
                quantity,
                status,
            };
            let replaced = replace(&item, open, &new(asked), Some(&FISH));
            assert_eq!(
                replaced.map(|item| (item.status, item.quantity)),
                expected,
                "{reason}"
            );
        }
    }

    #[test]
    fn a_pet_with_open_orders_stays() {
        assert_eq!(delete(7, 0), Ok(()));
        assert_eq!(
            delete(7, 1),
            Err(Refusal::PetHasOpenOrders {
                pet_id: 7,
                open_orders: 1
            })
        );
    }
}
