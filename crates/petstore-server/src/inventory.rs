//! The stock of a pet and its rules: how the status changes with the number of free units.
//!
//! Pure functions over records; the store loads and saves them.

use petstore_api::ErrorCode;
use petstore_api::types::PetStatus;
use serde::{Deserialize, Serialize};

use crate::rule_violation::{RuleViolation, format_count};

/// The stock of a pet: its free units and its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryItem {
    /// The pet.
    pub pet_id: i64,
    /// Free units, 0 or more. Units of open orders are not included.
    pub quantity: i64,
    /// The pet's status.
    pub status: PetStatus,
}

impl InventoryItem {
    /// Returns the stock with `quantity` free units and the status that follows from it. `open_orders` is the number of
    /// the pet's open orders.
    ///
    /// Above 0, a pet that was sold, or pending without stock, becomes available; a pet that was pending with stock
    /// stays pending. At 0, an available pet becomes pending, or sold if it has no open orders.
    pub fn set_quantity(self, quantity: i64, open_orders: i64) -> InventoryItem {
        use PetStatus::{Available, Pending, Sold};

        let status = match (self.status, quantity, open_orders) {
            (Available, 0, 0) => Sold,
            (Available, 0, _) => Pending,
            (Pending | Sold, 0, _) => self.status,
            (Pending, _, _) if self.quantity > 0 => Pending,
            (_, _, _) => Available,
        };
        InventoryItem {
            quantity,
            status,
            ..self
        }
    }

    /// Returns the stock after an order takes `units` of the free units. At 0 the pet becomes pending.
    ///
    /// # Errors
    ///
    /// `insufficient_stock`.
    pub fn take_units(self, units: i64) -> Result<InventoryItem, RuleViolation> {
        let quantity = self.quantity - units;
        if quantity < 0 {
            return Err(insufficient_stock(self.pet_id, self.quantity, units));
        }
        let status = match quantity {
            0 => PetStatus::Pending,
            _ => self.status,
        };
        Ok(InventoryItem {
            quantity,
            status,
            ..self
        })
    }

    /// Returns the stock after `units`, 1 or more, of an order become free again. A pending pet without stock becomes
    /// available.
    ///
    /// The sum may exceed the maximum of `setInventory`.
    pub fn return_units(self, units: i64) -> InventoryItem {
        let status = match (self.status, self.quantity) {
            (PetStatus::Pending, 0) => PetStatus::Available,
            (status, _) => status,
        };
        InventoryItem {
            quantity: self.quantity + units,
            status,
            ..self
        }
    }

    /// Returns the stock after the last open order of the pet is completed: without free units, the pet is sold.
    pub fn complete_last_order(self) -> InventoryItem {
        match self.quantity {
            0 => InventoryItem {
                status: PetStatus::Sold,
                ..self
            },
            _ => self,
        }
    }
}

/// The pet has fewer free units than the request needs.
pub(crate) fn insufficient_stock(pet_id: i64, free: i64, needed: i64) -> RuleViolation {
    let free = format_count(free, "unit");
    let message = format!("pet {pet_id} has {free} free, the request needs {needed}");
    RuleViolation::new(ErrorCode::InsufficientStock, message)
}

#[cfg(test)]
mod tests {
    use petstore_api::types::PetStatus::{Available, Pending, Sold};

    use super::*;

    #[test]
    fn set_quantity_changes_the_status_by_the_rules() {
        // (status, free units, open orders), new quantity -> status
        let cases = [
            ((Sold, 0, 0), 5, Available),      // a restocked sold pet is available
            ((Pending, 0, 0), 5, Available),   // pending without stock becomes available
            ((Pending, 0, 2), 5, Available),   // there are units besides those of orders
            ((Pending, 3, 0), 5, Pending),     // pending with stock stays pending
            ((Available, 3, 1), 5, Available), // no change
            ((Available, 3, 1), 0, Pending),   // open orders have all units
            ((Available, 3, 0), 0, Sold),      // no units and no open orders
            ((Pending, 3, 0), 0, Pending),     // a pending pet stays pending
            ((Pending, 0, 2), 0, Pending),     // no change
            ((Sold, 0, 0), 0, Sold),           // no change
        ];
        for ((status, quantity, open), set_to, expected) in cases {
            let item = InventoryItem {
                pet_id: 7,
                quantity,
                status,
            };
            let after = item.set_quantity(set_to, open);
            let seen = (after.pet_id, after.quantity, after.status);
            assert_eq!(seen, (7, set_to, expected), "{item:?}, {open} open orders");
        }
    }
}
