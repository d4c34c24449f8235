//! The rules for orders, with a reason for each row.

use super::*;
use crate::pet_status::PetStatus::{Available, Pending, Sold};

const PET: i64 = 7;
const ORDER: i64 = 40;

fn item(status: PetStatus, quantity: i64) -> InventoryItem {
    InventoryItem {
        pet_id: PET,
        quantity,
        status,
    }
}

fn order(quantity: i64) -> Order {
    Order {
        id: ORDER,
        pet_id: PET,
        quantity,
        ship_date: None,
        complete: false,
    }
}

fn open(order: Order) -> OpenOrder {
    OpenOrder::new(order).expect("the order is open")
}

fn date(text: &str) -> DateTime<Utc> {
    text.parse().expect("the test's date is valid")
}

fn pointer(violation: RuleViolation) -> &'static str {
    match violation {
        RuleViolation::ValidationFailed { pointer, .. } => pointer,
        other => panic!("another violation: {other}"),
    }
}

#[test]
fn new_order_requires_a_pet_and_rejects_id_and_complete() {
    let plain = OrderBody {
        pet_id: Some(PET),
        ..OrderBody::default()
    };
    let cases = [
        (plain.clone(), Ok(1)), // one unit is the default
        (
            OrderBody {
                quantity: Some(3),
                ..plain.clone()
            },
            Ok(3),
        ), // the requested units
        (
            OrderBody {
                complete: Some(false),
                ..plain.clone()
            },
            Ok(1),
        ), // a new order is open
        (
            OrderBody {
                complete: Some(true),
                ..plain.clone()
            },
            Err("/complete"),
        ), // a new order is open
        (
            OrderBody {
                id: Some(1),
                ..plain.clone()
            },
            Err("/id"),
        ), // the store assigns the id
        (
            OrderBody {
                pet_id: None,
                ..plain.clone()
            },
            Err("/petId"),
        ), // the pet is required
        (
            OrderBody {
                ship_date: Some(date("+10000-01-01T00:00:00Z")),
                ..plain
            },
            Err("/shipDate"),
        ), // its year in UTC has more than four digits
    ];
    for (new, expected) in cases {
        let valid = new.validate_new();
        let quantity = valid.map(|it| it.quantity).map_err(pointer);
        assert_eq!(quantity, expected, "{new:?}");
    }
}

#[test]
fn placing_takes_units_of_an_available_pet() {
    let not_available = |status| RuleViolation::PetNotAvailable {
        pet_id: PET,
        status,
    };
    let insufficient = RuleViolation::InsufficientStock {
        pet_id: PET,
        free: 2,
        needed: 3,
    };
    let cases = [
        (Some((Available, 5)), Ok((Available, 2))), // some are left
        (Some((Available, 3)), Ok((Pending, 0))),   // the last units make it pending
        (Some((Available, 2)), Err(insufficient)),  // too few units
        (Some((Pending, 5)), Err(not_available(Pending))), // pending
        (Some((Sold, 0)), Err(not_available(Sold))), // sold
        (None, Err(RuleViolation::UnknownPet { id: PET })), // unknown
    ];
    let valid = ValidOrder {
        pet_id: PET,
        quantity: 3,
        ship_date: None,
    };
    for (before, expected) in cases {
        let before = before.map(|(status, quantity)| item(status, quantity));
        let expected = expected.map(|(status, quantity)| item(status, quantity));
        let after = take_stock(&valid, before.as_ref());
        assert_eq!(after, expected, "{before:?}");
    }
}

#[test]
fn change_of_quantity_changes_the_stock_by_the_difference() {
    let insufficient = RuleViolation::InsufficientStock {
        pet_id: PET,
        free: 1,
        needed: 2,
    };
    let cases = [
        ((Available, 5), None, Ok((3, Available, 5))), // not requested
        ((Available, 5), Some(3), Ok((3, Available, 5))), // the same quantity
        ((Available, 5), Some(4), Ok((4, Available, 4))), // one more unit
        ((Available, 2), Some(5), Ok((5, Pending, 0))), // the last units make it pending
        ((Available, 1), Some(5), Err(insufficient)),  // too few units
        ((Pending, 5), Some(4), Ok((4, Pending, 4))),  // a pending pet with stock
        ((Available, 5), Some(1), Ok((1, Available, 7))), // two units return
        ((Pending, 0), Some(1), Ok((1, Available, 2))), // two units return; the pet was out of stock
        ((Pending, 5), Some(1), Ok((1, Pending, 7))),   // pending with stock stays pending
    ];
    for ((status, quantity), requested, expected) in cases {
        let change = OrderBody {
            quantity: requested,
            ..OrderBody::default()
        };
        let changed = apply_change(&open(order(3)), &change, &item(status, quantity), 1)
            .map(|(order, item)| (order.quantity, item.status, item.quantity));
        assert_eq!(changed, expected, "{status} {quantity} to {requested:?}");
    }
}

#[test]
fn completing_the_last_open_order_sells_a_pet_without_stock() {
    // (status, free units, open orders), quantity -> (status, free units)
    let cases = [
        ((Pending, 0, 1), None, (Sold, 0)), // the last open order, no stock
        ((Pending, 0, 2), None, (Pending, 0)), // another order is open
        ((Available, 4, 1), None, (Available, 4)), // there is stock
        ((Pending, 4, 1), None, (Pending, 4)), // there is stock, though pending
        ((Pending, 0, 1), Some(2), (Available, 1)), // a unit returns in the same change
        ((Available, 1, 1), Some(4), (Sold, 0)), // the last unit is taken in the same change
    ];
    for (before, requested, (to, left)) in cases {
        let (status, quantity, open_orders) = before;
        let change = OrderBody {
            complete: Some(true),
            quantity: requested,
            ..OrderBody::default()
        };
        let item_before = item(status, quantity);
        let updated = apply_change(&open(order(3)), &change, &item_before, open_orders);
        let (order, item_after) = updated.expect("there is enough");
        assert!(order.complete, "{before:?} to {requested:?}");
        assert_eq!(item_after, item(to, left), "{before:?} to {requested:?}");
    }
}

#[test]
fn change_of_id_or_pet_is_rejected() {
    let none = OrderBody::default();
    let cases = [
        (
            OrderBody {
                id: Some(ORDER),
                pet_id: Some(PET),
                ..none.clone()
            },
            None,
        ), // unchanged
        (
            OrderBody {
                id: Some(41),
                ..none.clone()
            },
            Some("/id"),
        ), // another order
        (
            OrderBody {
                pet_id: Some(8),
                ..none.clone()
            },
            Some("/petId"),
        ), // another pet
        (
            OrderBody {
                complete: Some(false),
                ..none
            },
            None,
        ), // already open
    ];
    for (change, expected) in cases {
        let rejected = apply_change(&open(order(3)), &change, &item(Available, 5), 1)
            .err()
            .map(pointer);
        assert_eq!(rejected, expected, "{change:?}");
    }
}

#[test]
fn ship_date_can_be_set_and_changed_but_not_removed() {
    let (monday, tuesday) = (
        date("2026-11-23T10:00:00.123456789Z"),
        date("2026-11-24T10:00:00Z"),
    );
    let cases = [
        (None, None, None),                           // no date
        (None, Some(monday), Some(monday)),           // set, with nanoseconds
        (Some(monday), Some(tuesday), Some(tuesday)), // changed
        (Some(monday), None, Some(monday)),           // not requested
    ];
    for (before, requested, expected) in cases {
        let change = OrderBody {
            ship_date: requested,
            ..OrderBody::default()
        };
        let order = Order {
            ship_date: before,
            ..order(3)
        };
        let changed = apply_change(&open(order), &change, &item(Available, 5), 1);
        let (order, _) = changed.expect("the change is valid");
        assert_eq!(order.ship_date, expected, "{before:?} to {requested:?}");
    }
    let beyond = OrderBody {
        ship_date: Some(date("-0001-12-31T23:00:00Z")),
        ..OrderBody::default()
    };
    let rejected = apply_change(&open(order(3)), &beyond, &item(Available, 5), 1)
        .err()
        .map(pointer);
    assert_eq!(
        rejected,
        Some("/shipDate"),
        "its year in UTC has more than four digits"
    );
}

#[test]
fn cancelling_returns_units_to_the_stock() {
    let cases = [
        ((Available, 2), (Available, 5)), // still available
        ((Pending, 0), (Available, 3)),   // it was out of stock
        ((Pending, 2), (Pending, 5)),     // pending with stock stays pending
    ];
    for ((status, quantity), (to, sum)) in cases {
        let after = return_stock(&open(order(3)), &item(status, quantity));
        assert_eq!(after, item(to, sum), "{status} {quantity}");
    }
}

#[test]
fn complete_order_is_rejected_as_open_order() {
    let complete = Order {
        complete: true,
        ..order(3)
    };
    assert_eq!(
        OpenOrder::new(complete),
        Err(RuleViolation::OrderAlreadyComplete { id: ORDER })
    );
    assert!(OpenOrder::new(order(3)).is_ok());
}
