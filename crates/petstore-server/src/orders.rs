//! Orders and their rules: placing, changing, completing and cancelling them, and what each does to the stock.
//!
//! Pure functions over records. Loading and saving them is the store's work.

use chrono::{DateTime, Datelike, Utc};
use serde::{Deserialize, Serialize};

use crate::inventory::InventoryItem;
use crate::refusal::Refusal;

/// An order of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Given by the store when the order is placed, never reused.
    pub id: i64,
    /// The pet ordered. Once the order is complete, the pet may have been deleted since.
    pub pet_id: i64,
    /// Units ordered, at least 1.
    pub quantity: i64,
    /// When it ships or shipped. The instant is kept with its fraction of a second, to the nanosecond;
    /// the offset in which the client wrote it is not.
    pub ship_date: Option<DateTime<Utc>>,
    /// False while it holds units that may still return, true once they have shipped.
    pub complete: bool,
}

/// What a client sends to place an order. Nothing is required by its shape; [`Placement::of`] says what is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewOrder {
    /// Must be left out: the store gives the id.
    pub id: Option<i64>,
    /// The pet; must be given.
    pub pet_id: Option<i64>,
    /// Units, at least 1; left out, 1.
    pub quantity: Option<i64>,
    /// When it is to ship.
    pub ship_date: Option<DateTime<Utc>>,
    /// Must be left out or false.
    pub complete: Option<bool>,
}

/// What a client sends to change an order. What is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrderChange {
    /// If given, the order's own.
    pub id: Option<i64>,
    /// If given, the order's own.
    pub pet_id: Option<i64>,
    /// Units, at least 1.
    pub quantity: Option<i64>,
    /// A date once set can be moved, not cleared.
    pub ship_date: Option<DateTime<Utc>>,
    /// True completes the order; false changes nothing, as only an open order can be changed.
    pub complete: Option<bool>,
}

/// A [`NewOrder`] that makes sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The pet ordered.
    pub pet_id: i64,
    /// Units ordered.
    pub quantity: i64,
    /// When it is to ship.
    pub ship_date: Option<DateTime<Utc>>,
}

/// An order that is not complete, the only kind that can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOrder(Order);

impl Placement {
    /// What `new` asks for.
    ///
    /// # Errors
    ///
    /// [`Refusal::ValidationFailed`].
    pub fn of(new: &NewOrder) -> Result<Placement, Refusal> {
        if new.id.is_some() {
            return Err(invalid("/id", "must be left out: the store gives the id"));
        }
        let Some(pet_id) = new.pet_id else {
            return Err(invalid("/petId", "is needed to place an order"));
        };
        if new.complete == Some(true) {
            return Err(invalid(
                "/complete",
                "must be left out or false: a new order is open",
            ));
        }
        Ok(Placement {
            pet_id,
            quantity: new.quantity.unwrap_or(1),
            ship_date: representable(new.ship_date)?,
        })
    }
}

impl OpenOrder {
    /// The order, if it is open.
    ///
    /// # Errors
    ///
    /// [`Refusal::OrderAlreadyComplete`].
    pub fn of(order: Order) -> Result<OpenOrder, Refusal> {
        match order.complete {
            false => Ok(OpenOrder(order)),
            true => Err(Refusal::OrderAlreadyComplete { id: order.id }),
        }
    }

    /// The pet whose units the order holds; while it is open, the pet exists.
    pub fn pet_id(&self) -> i64 {
        self.0.pet_id
    }
}

/// Places an order on a pet, and returns the pet's stock afterwards. `item` is its stock before.
///
/// # Errors
///
/// [`Refusal::UnknownPet`], [`Refusal::PetNotAvailable`], [`Refusal::InsufficientStock`].
pub fn place(
    placement: &Placement,
    item: Option<&InventoryItem>,
) -> Result<InventoryItem, Refusal> {
    use crate::pets::PetStatus::{Available, Pending, Sold};

    let pet_id = placement.pet_id;
    let item = item.ok_or(Refusal::UnknownPet { id: pet_id })?;
    match item.status {
        Available => item.take(placement.quantity),
        status @ (Pending | Sold) => Err(Refusal::PetNotAvailable { pet_id, status }),
    }
}

/// Changes an order, and returns it and the pet's stock afterwards.
///
/// `item` is the pet's stock before, `open_orders` how many open orders it has, this one included.
/// More units are taken from whatever stock is free: an order that is placed already may grow
/// though its pet takes no new orders.
///
/// # Errors
///
/// [`Refusal::ValidationFailed`], [`Refusal::InsufficientStock`].
pub fn update(
    OpenOrder(order): &OpenOrder,
    change: &OrderChange,
    item: &InventoryItem,
    open_orders: i64,
) -> Result<(Order, InventoryItem), Refusal> {
    must_match("/id", change.id, order.id)?;
    must_match("/petId", change.pet_id, order.pet_id)?;

    let updated = Order {
        quantity: change.quantity.unwrap_or(order.quantity),
        ship_date: representable(change.ship_date)?.or(order.ship_date),
        complete: change.complete.unwrap_or(false),
        ..*order
    };
    let mut item = match updated.quantity - order.quantity {
        0 => *item,
        more @ 1.. => item.take(more)?,
        fewer => item.give_back(-fewer),
    };
    if updated.complete && open_orders == 1 {
        item = item.last_order_completed();
    }
    Ok((updated, item))
}

/// Cancels an order, and returns the pet's stock afterwards. `item` is its stock before.
pub fn cancel(OpenOrder(order): &OpenOrder, item: &InventoryItem) -> InventoryItem {
    item.give_back(order.quantity)
}

fn must_match(pointer: &'static str, given: Option<i64>, own: i64) -> Result<(), Refusal> {
    match given {
        Some(given) if given != own => Err(invalid(
            pointer,
            format!("must be left out or {own}, as it cannot change"),
        )),
        _ => Ok(()),
    }
}

/// A date-time is written with a year of four digits (RFC 3339). An offset can carry an instant out of that range,
/// and the answer, in UTC, could then not be written.
fn representable(ship_date: Option<DateTime<Utc>>) -> Result<Option<DateTime<Utc>>, Refusal> {
    match ship_date {
        Some(date) if !(0..=9999).contains(&date.year()) => Err(invalid(
            "/shipDate",
            "must lie in the years 0000 to 9999 in UTC",
        )),
        date => Ok(date),
    }
}

fn invalid(pointer: &'static str, message: impl Into<String>) -> Refusal {
    Refusal::ValidationFailed {
        pointer,
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
