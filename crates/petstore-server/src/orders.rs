//! Orders and their rules: placing, changing, completing and cancelling them, with the effect on the pet's stock.
//!
//! Pure functions over records; the store loads and saves them.

use chrono::{DateTime, Utc};
use petstore_api::ErrorCode;
/// The body of a request that places or changes an order. The schema requires no property; the rules decide what each
/// request may contain, and what is left out means.
pub use petstore_api::types::Order as OrderBody;
use petstore_api::types::PetStatus;
use serde::{Deserialize, Serialize};

use crate::inventory::InventoryItem;
use crate::rule_violation::{RuleViolation, check_year};

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

/// An order that is not complete. Only these can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOrder(Order);

/// Checks the body of a request that places an order, and fills in the defaults. The store gives it an id.
///
/// # Errors
///
/// `validation_failed`.
pub fn validate_new(body: &OrderBody) -> Result<Order, RuleViolation> {
    if body.id.is_some() {
        let message = "must be left out: the store gives the id";
        return Err(RuleViolation::invalid("/id", message));
    }
    let Some(pet_id) = body.pet_id else {
        return Err(RuleViolation::invalid(
            "/petId",
            "is needed to place an order",
        ));
    };
    if body.complete == Some(true) {
        let message = "must be left out or false: a new order is open";
        return Err(RuleViolation::invalid("/complete", message));
    }
    Ok(Order {
        id: 0,
        pet_id,
        quantity: body.quantity.unwrap_or(1),
        ship_date: check_year("/shipDate", body.ship_date)?,
        complete: false,
    })
}

impl OpenOrder {
    /// Wraps `order`, which must be open.
    ///
    /// # Errors
    ///
    /// `order_already_complete`.
    pub fn new(order: Order) -> Result<OpenOrder, RuleViolation> {
        if !order.complete {
            return Ok(OpenOrder(order));
        }
        let message = format!(
            "order {} is complete and can be neither changed nor cancelled",
            order.id
        );
        Err(RuleViolation::new(ErrorCode::OrderAlreadyComplete, message))
    }
}

/// Checks that an order can be placed, and returns the stock of its pet afterwards. `item` is the stock before; `None`
/// if the pet does not exist.
///
/// # Errors
///
/// `unknown_pet`, `pet_not_available`, `insufficient_stock`.
pub fn take_stock(
    order: &Order,
    item: Option<&InventoryItem>,
) -> Result<InventoryItem, RuleViolation> {
    let pet_id = order.pet_id;
    let Some(item) = item else {
        let message = format!("pet {pet_id} does not exist, so it cannot be ordered");
        return Err(RuleViolation::new(ErrorCode::UnknownPet, message));
    };
    match item.status {
        PetStatus::Available => item.take_units(order.quantity),
        status @ (PetStatus::Pending | PetStatus::Sold) => {
            let message = format!("pet {pet_id} is {status}; only an available pet can be ordered");
            Err(RuleViolation::new(ErrorCode::PetNotAvailable, message))
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
/// `validation_failed`, `insufficient_stock`.
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
        ship_date: check_year("/shipDate", change.ship_date)?.or(order.ship_date),
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
        Some(given) if given != current => {
            let message = format!("must be left out or {current}, as it cannot change");
            Err(RuleViolation::invalid(pointer, &message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
