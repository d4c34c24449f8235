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

#[cfg(test)]
mod tests {
    use super::PetStatus::{Available, Pending, Sold};
    use super::*;

    fn item(status: PetStatus, quantity: i64) -> InventoryItem {
        InventoryItem {
            pet_id: 7,
            quantity,
            status,
        }
    }

    #[test]
    fn the_status_follows_a_stock_that_is_set() {
        // (status, free units, open orders) set to -> status
        let cases = [
            ((Sold, 0, 0), 5, Available, "restocking reopens a sold pet"),
            ((Pending, 0, 0), 5, Available, "what it waited for has come"),
            (
                (Pending, 0, 2),
                5,
                Available,
                "there are units besides those on order",
            ),
            (
                (Pending, 3, 0),
                5,
                Pending,
                "set aside by hand, it stays aside",
            ),
            ((Available, 3, 1), 5, Available, "nothing to follow"),
            ((Available, 3, 1), 0, Pending, "all there is, is on order"),
            (
                (Available, 3, 0),
                0,
                Sold,
                "there is none, and none is on order",
            ),
            (
                (Pending, 3, 0),
                0,
                Pending,
                "only an available pet runs out",
            ),
            ((Pending, 0, 2), 0, Pending, "nothing to follow"),
            ((Sold, 0, 0), 0, Sold, "nothing to follow"),
        ];
        for ((status, quantity, open), set_to, expected, reason) in cases {
            let after = item(status, quantity).set(set_to, open);
            assert_eq!(after, item(expected, set_to), "{reason}");
        }
    }

    #[test]
    fn units_are_taken_while_there_are_enough() {
        let short = |free, needed| Refusal::InsufficientStock {
            pet_id: 7,
            free,
            needed,
        };
        let cases = [
            ((Available, 3), 2, Ok((Available, 1)), "some are left"),
            ((Available, 3), 3, Ok((Pending, 0)), "the last are on order"),
            ((Available, 3), 4, Err(short(3, 4)), "one too many"),
            (
                (Pending, 3),
                2,
                Ok((Pending, 1)),
                "set aside, it stays aside",
            ),
            ((Pending, 0), 1, Err(short(0, 1)), "none is left"),
        ];
        for ((status, quantity), units, expected, reason) in cases {
            let after = item(status, quantity).take(units);
            assert_eq!(
                after,
                expected.map(|(status, quantity)| item(status, quantity)),
                "{reason}"
            );
        }
    }

    #[test]
    fn units_that_return_are_free_again() {
        let cases = [
            ((Available, 3), 2, (Available, 5), "more of what there was"),
            (
                (Pending, 0),
                2,
                (Available, 2),
                "it was pending for want of stock",
            ),
            (
                (Pending, 3),
                2,
                (Pending, 5),
                "set aside by hand, it stays aside",
            ),
            (
                (Available, 1_000_000),
                2,
                (Available, 1_000_002),
                "past what can be set by hand",
            ),
        ];
        for ((status, quantity), units, (to, sum), reason) in cases {
            assert_eq!(
                item(status, quantity).give_back(units),
                item(to, sum),
                "{reason}"
            );
        }
    }
}
