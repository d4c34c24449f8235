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

/// The body of a request that places or changes an order. The schema requires no property; the rules decide what each
/// request may contain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderBody {
    /// `None` for a new order, as the store assigns the id. In a change, `None` or the id of the order.
    pub id: Option<i64>,
    /// The pet; required for a new order. In a change, `None` or the pet of the order.
    pub pet_id: Option<i64>,
    /// Units, at least 1. `None` is 1 for a new order, and no change for an existing one.
    pub quantity: Option<i64>,
    /// When it ships. `None` does not change the date of an existing order; a date cannot be removed.
    pub ship_date: Option<DateTime<Utc>>,
    /// `None` or false for a new order. In a change, true completes the order.
    pub complete: Option<bool>,
}

/// The properties of a new order, validated and with defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidOrder {
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

impl OrderBody {
    /// Checks the body of a request that places an order, and fills in the defaults.
    ///
    /// # Errors
    ///
    /// [`RuleViolation::ValidationFailed`].
    pub fn validate_new(&self) -> Result<ValidOrder, RuleViolation> {
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
        Ok(ValidOrder {
            pet_id,
            quantity: self.quantity.unwrap_or(1),
            ship_date: check_year(self.ship_date)?,
        })
    }
}

impl OpenOrder {
    /// Wraps `order`, which must be open.
    ///
    /// # Errors
    ///
    /// [`RuleViolation::OrderAlreadyComplete`].
    pub fn new(order: Order) -> Result<OpenOrder, RuleViolation> {
        if order.complete {
            Err(RuleViolation::OrderAlreadyComplete { id: order.id })
        } else {
            Ok(OpenOrder(order))
        }
    }
}

/// Checks that an order can be placed, and returns the stock of its pet afterwards. `item` is the stock before; `None`
/// if the pet does not exist.
///
/// # Errors
///
/// [`RuleViolation::UnknownPet`], [`RuleViolation::PetNotAvailable`], [`RuleViolation::InsufficientStock`].
pub fn take_stock(
    order: &ValidOrder,
    item: Option<&InventoryItem>,
) -> Result<InventoryItem, RuleViolation> {
    let pet_id = order.pet_id;
    let item = item.ok_or(RuleViolation::UnknownPet { id: pet_id })?;
    match item.status {
        PetStatus::Available => item.take_units(order.quantity),
        status @ (PetStatus::Pending | PetStatus::Sold) => {
            Err(RuleViolation::PetNotAvailable { pet_id, status })
        }
    }
}

/// Applies the body of a request to an open order, and returns the changed order and the stock of its pet.
///
/// `item` is the pet's stock before, `open_orders` the number of its open orders, including this one.
/// The quantity of an order may grow while its pet is pending, if it has free units.
///
/// # Errors
///
/// [`RuleViolation::ValidationFailed`], [`RuleViolation::InsufficientStock`].
pub fn apply_change(
    OpenOrder(order): &OpenOrder,
    change: &OrderBody,
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

/// Returns the stock of a pet after an open order of it is cancelled. `item` is the stock before.
pub fn return_stock(OpenOrder(order): &OpenOrder, item: &InventoryItem) -> InventoryItem {
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

/// Checks that the year of a ship date, in UTC, has four digits, as RFC 3339 requires for the response. A date with an
/// offset may be valid in the request and outside this range in UTC.
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
