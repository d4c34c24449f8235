//! The stock of a pet and its rules: how the status follows when free units are set, taken or given back.
//!
//! Pure functions over records. Loading and saving them is the store's work.

use crate::pets::PetStatus;
use crate::refusal::Refusal;

/// A pet's stock: the units free to order, and the pet's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InventoryItem {
    /// The pet.
    pub pet_id: i64,
    /// Units free to order, never negative. Units that open orders hold are not among them.
    pub quantity: i64,
    /// The pet's status.
    pub status: PetStatus,
}

impl InventoryItem {
    /// Sets the free units to `quantity`, given how many open orders hold units of the pet.
    ///
    /// Above 0, a pet that was sold, or that was pending for want of stock, becomes available; one that was set
    /// aside with stock in hand stays pending. At 0, an available pet becomes pending, or sold without open orders.
    pub fn set(self, quantity: i64, open_orders: i64) -> InventoryItem {
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

    /// Takes `units` out of the free stock for an order. An available pet left without any becomes pending.
    ///
    /// # Errors
    ///
    /// [`Refusal::InsufficientStock`].
    pub fn take(self, units: i64) -> Result<InventoryItem, Refusal> {
        let quantity = self.quantity - units;
        if quantity < 0 {
            return Err(Refusal::InsufficientStock {
                pet_id: self.pet_id,
                free: self.quantity,
                needed: units,
            });
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

    /// Gives `units`, at least one, back to the free stock. A pending pet that had none becomes available.
    ///
    /// The sum may pass what can be set by hand: what was sold and comes back is not turned away.
    pub fn give_back(self, units: i64) -> InventoryItem {
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

    /// What is left when the last open order of the pet completes: without stock, the pet is sold.
    pub fn last_order_completed(self) -> InventoryItem {
        match self.quantity {
            0 => InventoryItem {
                status: PetStatus::Sold,
                ..self
            },
            _ => self,
        }
    }
}
