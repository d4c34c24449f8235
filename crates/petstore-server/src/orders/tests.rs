//! The rules for orders, with a reason for each row.

use petstore_api::types::PetStatus::{Available, Pending, Sold};

use super::*;
use crate::inventory::insufficient_stock;

const PET: i64 = 7;
const ORDER: i64 = 40;

fn item(status: PetStatus, quantity: i64) -> InventoryItem {
    InventoryItem {
        pet_id: PET,
        quantity,
        status,
    }
}

fn open(quantity: i64, ship_date: Option<DateTime<Utc>>) -> OpenOrder {
    OpenOrder(Order {
        id: ORDER,
        pet_id: PET,
        quantity,
        ship_date,
        complete: false,
    })
}

fn body(id: Option<i64>, pet: Option<i64>, quantity: Option<i64>, complete: bool) -> OrderBody {
    OrderBody {
        id,
        pet_id: pet,
        quantity,
        ship_date: None,
        complete: complete.then_some(true),
    }
}

fn shipped(ship_date: Option<DateTime<Utc>>) -> OrderBody {
    OrderBody {
        pet_id: Some(PET),
        ship_date,
        ..OrderBody::default()
    }
}

fn date(text: &str) -> Option<DateTime<Utc>> {
    Some(text.parse().expect("the test's date is valid"))
}

fn pointer(violation: RuleViolation) -> String {
    assert_eq!(violation.code, ErrorCode::ValidationFailed);
    let pointer = violation.message.split(':').next();
    pointer.unwrap_or_default().to_owned()
}

#[test]
fn new_order_requires_a_pet_and_rejects_id_and_complete() {
    let pet = Some(PET);
    for (new, expected) in [
        (body(None, pet, None, false), Ok(1)), // one unit is the default
        (body(None, pet, Some(3), false), Ok(3)), // the requested units
        (body(None, pet, None, true), Err("/complete")), // a new order is open
        (body(Some(1), pet, None, false), Err("/id")), // the store assigns the id
        (body(None, None, None, false), Err("/petId")), // the pet is required
        (shipped(date("+10000-01-01T00:00:00Z")), Err("/shipDate")), // more than four digits
    ] {
        let valid = validate_new(&new);
        let quantity = valid.map(|it| it.quantity).map_err(pointer);
        assert_eq!(quantity, expected.map_err(str::to_owned), "{new:?}");
    }
}

#[test]
fn placing_takes_units_of_an_available_pet() {
    let not_available = |status| {
        let message = format!("pet 7 is {status}; only an available pet can be ordered");
        RuleViolation::new(ErrorCode::PetNotAvailable, message)
    };
    let unknown = "pet 7 does not exist, so it cannot be ordered";
    let unknown = RuleViolation::new(ErrorCode::UnknownPet, unknown);
    let valid = validate_new(&body(None, Some(PET), Some(3), false));
    for (before, expected) in [
        (Some((Available, 5)), Ok((Available, 2))), // some are left
        (Some((Available, 3)), Ok((Pending, 0))),   // the last units make it pending
        (Some((Available, 2)), Err(insufficient_stock(PET, 2, 3))), // too few units
        (Some((Pending, 5)), Err(not_available(Pending))), // pending
        (Some((Sold, 0)), Err(not_available(Sold))), // sold
        (None, Err(unknown)),                       // unknown
    ] {
        let before = before.map(|(status, quantity)| item(status, quantity));
        let expected = expected.map(|(status, quantity)| item(status, quantity));
        let after = take_stock(valid.as_ref().expect("it is valid"), before.as_ref());
        assert_eq!(after, expected, "{before:?}");
    }
}

#[test]
fn change_of_quantity_changes_the_stock_by_the_difference() {
    for ((status, quantity), requested, expected) in [
        ((Available, 5), None, Ok((3, Available, 5))), // not requested
        ((Available, 5), Some(4), Ok((4, Available, 4))), // one more unit
        ((Available, 2), Some(5), Ok((5, Pending, 0))), // the last units make it pending
        ((Available, 1), Some(5), Err(insufficient_stock(PET, 1, 2))), // too few units
        ((Pending, 5), Some(4), Ok((4, Pending, 4))),  // a pending pet with stock
        ((Available, 5), Some(1), Ok((1, Available, 7))), // two units return
        ((Pending, 0), Some(1), Ok((1, Available, 2))), // the pet was out of stock
        ((Pending, 5), Some(1), Ok((1, Pending, 7))),  // pending with stock stays pending
    ] {
        let change = body(None, None, requested, false);
        let changed = apply_change(&open(3, None), &change, &item(status, quantity), 1)
            .map(|(order, item)| (order.quantity, item.status, item.quantity));
        assert_eq!(changed, expected, "{status} {quantity} to {requested:?}");
    }
}

#[test]
fn completing_the_last_open_order_sells_a_pet_without_stock() {
    // (status, free units, open orders), quantity -> (status, free units)
    for (before, requested, (to, left)) in [
        ((Pending, 0, 1), None, (Sold, 0)), // the last open order, no stock
        ((Pending, 0, 2), None, (Pending, 0)), // another order is open
        ((Available, 4, 1), None, (Available, 4)), // there is stock
        ((Pending, 4, 1), None, (Pending, 4)), // there is stock, though pending
        ((Pending, 0, 1), Some(2), (Available, 1)), // a unit returns in the same change
        ((Available, 1, 1), Some(4), (Sold, 0)), // the last unit is taken in the same change
    ] {
        let (status, quantity, open_orders) = before;
        let change = body(None, None, requested, true);
        let changed = apply_change(
            &open(3, None),
            &change,
            &item(status, quantity),
            open_orders,
        );
        let (order, after) = changed.expect("there is enough");
        assert!(order.complete, "{before:?} to {requested:?}");
        assert_eq!(after, item(to, left), "{before:?} to {requested:?}");
    }
}

#[test]
fn change_cannot_move_an_order_or_remove_its_date() {
    let (monday, tuesday) = (
        date("2026-11-23T10:00:00.123456789Z"),
        date("2026-11-24T10:00:00Z"),
    );
    for (before, change, expected) in [
        (None, body(Some(ORDER), Some(PET), None, false), Ok(None)), // unchanged
        (None, body(Some(41), None, None, false), Err("/id")),       // another order
        (None, body(None, Some(8), None, false), Err("/petId")),     // another pet
        (None, shipped(monday), Ok(monday)),                         // set, with nanoseconds
        (monday, shipped(tuesday), Ok(tuesday)),                     // changed
        (monday, shipped(None), Ok(monday)),                         // not requested
        (
            None,
            shipped(date("-0001-12-31T23:00:00Z")),
            Err("/shipDate"),
        ), // more than four digits
    ] {
        let changed = apply_change(&open(3, before), &change, &item(Available, 5), 1);
        let date = changed.map(|(order, _)| order.ship_date).map_err(pointer);
        assert_eq!(date, expected.map_err(str::to_owned), "{change:?}");
    }
}

#[test]
fn cancelling_returns_units_to_the_stock() {
    for ((status, quantity), (to, sum)) in [
        ((Available, 2), (Available, 5)), // still available
        ((Pending, 0), (Available, 3)),   // it was out of stock
        ((Pending, 2), (Pending, 5)),     // pending with stock stays pending
    ] {
        let after = return_stock(&open(3, None), &item(status, quantity));
        assert_eq!(after, item(to, sum), "{status} {quantity}");
    }
}

#[test]
fn complete_order_is_no_open_order() {
    let OpenOrder(order) = open(3, None);
    assert!(OpenOrder::new(order.clone()).is_ok());
    let complete = Order {
        complete: true,
        ..order
    };
    let refused = OpenOrder::new(complete).map_err(|error| error.code);
    assert_eq!(refused, Err(ErrorCode::OrderAlreadyComplete));
}
