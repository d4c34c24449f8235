//! Orders and their rules: placing, changing, completing and cancelling them, with the effect on the pet's stock.
//!
//! Pure functions over records; the store loads and saves them.

use chrono::{DateTime, Datelike, Utc};
use serde::{Deserialize, Serialize};

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::rule_violation::RuleViolation;

/// An order of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Assigned by the store; never reused.
    pub id: i64,
    /// The ordered pet. The pet of a complete order may have been deleted.
    pub pet_id: i64,
    /// Units ordered, at least 1.
    pub quantity: i64,
    /// When it ships or has shipped, to the nanosecond. The offset that the client wrote is not stored.
    pub ship_date: Option<DateTime<Utc>>,
    /// Whether the units have shipped. The units of an open order can still return to the stock.
    pub complete: bool,
}

/// The body of a request that places an order. The schema requires no property; [`NewOrder::validate`] does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewOrder {
    /// Must be `None`: the store assigns the id.
    pub id: Option<i64>,
    /// The pet; required.
    pub pet_id: Option<i64>,
    /// Units, at least 1; default 1.
    pub quantity: Option<i64>,
    /// When it ships.
    pub ship_date: Option<DateTime<Utc>>,
    /// Must be `None` or false.
    pub complete: Option<bool>,
}

/// The body of a request that changes an order. `None` does not change a property.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderChange {
    /// Must be `None` or equal to that of the order.
    pub id: Option<i64>,
    /// Must be `None` or equal to that of the order.
    pub pet_id: Option<i64>,
    /// Units, at least 1.
    pub quantity: Option<i64>,
    /// The new date. A date cannot be removed.
    pub ship_date: Option<DateTime<Utc>>,
    /// True completes the order. False changes nothing, since only open orders can be changed.
    pub complete: Option<bool>,
}

/// A valid [`NewOrder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The ordered pet.
    pub pet_id: i64,
    /// Units ordered.
    pub quantity: i64,
    /// When it ships.
    pub ship_date: Option<DateTime<Utc>>,
}

/// An order that is not complete. Only these can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOrder(Order);

impl NewOrder {
    /// Checks the properties and fills in the defaults.
    ///
    /// # Errors
    ///
    /// [`RuleViolation::ValidationFailed`].
    pub fn validate(&self) -> Result<Placement, RuleViolation> {
        if self.id.is_some() {
            return Err(invalid("/id", "must be left out: the store gives the id"));
        }
        let Some(pet_id) = self.pet_id else {
            return Err(invalid("/petId", "is needed to place an order"));
        };
        if self.complete == Some(true) {
            return Err(invalid(
                "/complete",
                "must be left out or false: a new order is open",
            ));
        }
        Ok(Placement {
            pet_id,
            quantity: self.quantity.unwrap_or(1),
            ship_date: check_year(self.ship_date)?,
        })
    }
}

impl OpenOrder {
    /// Accepts an open order.
    ///
    /// # Errors
    ///
    /// [`RuleViolation::OrderAlreadyComplete`].
    pub fn new(order: Order) -> Result<OpenOrder, RuleViolation> {
        match order.complete {
            false => Ok(OpenOrder(order)),
            true => Err(RuleViolation::OrderAlreadyComplete { id: order.id }),
        }
    }

    /// The ordered pet. It exists, as a pet with open orders cannot be deleted.
    pub fn pet_id(&self) -> i64 {
        self.0.pet_id
    }
}

/// Places an order for a pet, and returns the pet's stock afterwards. `item` is its stock before.
///
/// # Errors
///
/// [`RuleViolation::UnknownPet`], [`RuleViolation::PetNotAvailable`], [`RuleViolation::InsufficientStock`].
pub fn place(
    placement: &Placement,
    item: Option<&InventoryItem>,
) -> Result<InventoryItem, RuleViolation> {
    let pet_id = placement.pet_id;
    let item = item.ok_or(RuleViolation::UnknownPet { id: pet_id })?;
    match item.status {
        PetStatus::Available => item.take_units(placement.quantity),
        status @ (PetStatus::Pending | PetStatus::Sold) => {
            Err(RuleViolation::PetNotAvailable { pet_id, status })
        }
    }
}

/// Changes an order, and returns it and the pet's stock afterwards.
///
/// `item` is the pet's stock before, `open_orders` the number of its open orders, including this one.
/// The quantity of an order may grow while its pet is pending, if it has free units.
///
/// # Errors
///
/// [`RuleViolation::ValidationFailed`], [`RuleViolation::InsufficientStock`].
pub fn update(
    OpenOrder(order): &OpenOrder,
    change: &OrderChange,
    item: &InventoryItem,
    open_orders: i64,
) -> Result<(Order, InventoryItem), RuleViolation> {
    require_unchanged("/id", change.id, order.id)?;
    require_unchanged("/petId", change.pet_id, order.pet_id)?;

    let updated = Order {
        quantity: change.quantity.unwrap_or(order.quantity),
        ship_date: check_year(change.ship_date)?.or(order.ship_date),
        complete: change.complete.unwrap_or(false),
        ..*order
    };
    let mut item = match updated.quantity - order.quantity {
        0 => *item,
        more @ 1.. => item.take_units(more)?,
        fewer => item.return_units(-fewer),
    };
    if updated.complete && open_orders == 1 {
        item = item.complete_last_order();
    }
    Ok((updated, item))
}

/// Cancels an order, and returns the pet's stock afterwards. `item` is its stock before.
pub fn cancel(OpenOrder(order): &OpenOrder, item: &InventoryItem) -> InventoryItem {
    item.return_units(order.quantity)
}

fn require_unchanged(
    pointer: &'static str,
    given: Option<i64>,
    current: i64,
) -> Result<(), RuleViolation> {
    match given {
        Some(given) if given != current => Err(invalid(
            pointer,
            format!("must be left out or {current}, as it cannot change"),
        )),
        _ => Ok(()),
    }
}

/// Checks that the year in UTC has four digits, as RFC 3339 requires for the response. A date with an offset may be
/// valid in the request and outside this range in UTC.
fn check_year(ship_date: Option<DateTime<Utc>>) -> Result<Option<DateTime<Utc>>, RuleViolation> {
    match ship_date {
        Some(date) if !(0..=9999).contains(&date.year()) => Err(invalid(
            "/shipDate",
            "must lie in the years 0000 to 9999 in UTC",
        )),
        date => Ok(date),
    }
}

fn invalid(pointer: &'static str, message: impl Into<String>) -> RuleViolation {
    RuleViolation::ValidationFailed {
        pointer,
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
