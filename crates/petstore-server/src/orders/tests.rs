//! What the body of an order may be, with a reason for each row. The rules for the stock are tested with the store, against a model.

use super::*;
use crate::pet_status::PetStatus::Available;

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

fn pointer(violation: RuleViolation) -> &'static str {
    match violation {
        RuleViolation::ValidationFailed { pointer, .. } => pointer,
        other => panic!("another violation: {other}"),
    }
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
        let valid = new.validate_new();
        let quantity = valid.map(|it| it.quantity).map_err(pointer);
        assert_eq!(quantity, expected, "{new:?}");
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
        assert_eq!(date, expected, "{change:?}");
    }
}
