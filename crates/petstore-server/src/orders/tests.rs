//! Each clause of the rules for orders, with a reason for each row.

use super::*;
use crate::pets::PetStatus::{self, Available, Pending, Sold};

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
    OpenOrder::of(order).expect("the order is open")
}

fn date(text: &str) -> DateTime<Utc> {
    text.parse().expect("the test's date is valid")
}

fn pointer(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::ValidationFailed { pointer, .. } => pointer,
        other => panic!("not a failed validation: {other}"),
    }
}

#[test]
fn a_new_order_names_a_pet_and_nothing_that_the_store_decides() {
    let plain = NewOrder {
        pet_id: Some(PET),
        ..NewOrder::default()
    };
    let cases = [
        (plain.clone(), Ok(1), "one unit unless said otherwise"),
        (
            NewOrder {
                quantity: Some(3),
                ..plain.clone()
            },
            Ok(3),
            "as many as said",
        ),
        (
            NewOrder {
                complete: Some(false),
                ..plain.clone()
            },
            Ok(1),
            "open is what it will be",
        ),
        (
            NewOrder {
                complete: Some(true),
                ..plain.clone()
            },
            Err("/complete"),
            "complete is not",
        ),
        (
            NewOrder {
                id: Some(1),
                ..plain.clone()
            },
            Err("/id"),
            "the store gives the id",
        ),
        (
            NewOrder {
                pet_id: None,
                ..plain.clone()
            },
            Err("/petId"),
            "an order of what?",
        ),
        (
            NewOrder {
                ship_date: Some(date("+10000-01-01T00:00:00Z")),
                ..plain
            },
            Err("/shipDate"),
            "RFC 3339 cannot write it in UTC",
        ),
    ];
    for (new, expected, reason) in cases {
        let placement = Placement::of(&new)
            .map(|placement| placement.quantity)
            .map_err(pointer);
        assert_eq!(placement, expected, "{reason}");
    }
}

#[test]
fn placing_takes_units_from_an_available_pet() {
    let not_available = |status| Refusal::PetNotAvailable {
        pet_id: PET,
        status,
    };
    let short = Refusal::InsufficientStock {
        pet_id: PET,
        free: 2,
        needed: 3,
    };
    let cases = [
        (Some((Available, 5)), Ok((Available, 2)), "some are left"),
        (
            Some((Available, 3)),
            Ok((Pending, 0)),
            "the last are on order",
        ),
        (Some((Available, 2)), Err(short), "too few"),
        (Some((Pending, 5)), Err(not_available(Pending)), "set aside"),
        (Some((Sold, 0)), Err(not_available(Sold)), "gone"),
        (None, Err(Refusal::UnknownPet { id: PET }), "never was"),
    ];
    let placement = Placement {
        pet_id: PET,
        quantity: 3,
        ship_date: None,
    };
    for (before, expected, reason) in cases {
        let before = before.map(|(status, quantity)| item(status, quantity));
        let expected = expected.map(|(status, quantity)| item(status, quantity));
        assert_eq!(place(&placement, before.as_ref()), expected, "{reason}");
    }
}

#[test]
fn a_change_of_quantity_moves_the_difference() {
    let short = Refusal::InsufficientStock {
        pet_id: PET,
        free: 1,
        needed: 2,
    };
    let cases = [
        (
            (Available, 5),
            None,
            Ok((3, Available, 5)),
            "left out, it stays",
        ),
        (
            (Available, 5),
            Some(3),
            Ok((3, Available, 5)),
            "the same is no change",
        ),
        (
            (Available, 5),
            Some(4),
            Ok((4, Available, 4)),
            "one more leaves",
        ),
        (
            (Available, 2),
            Some(5),
            Ok((5, Pending, 0)),
            "the last leave, as in placing",
        ),
        ((Available, 1), Some(5), Err(short), "too few"),
        (
            (Pending, 5),
            Some(4),
            Ok((4, Pending, 4)),
            "placed before the pet was set aside",
        ),
        ((Available, 5), Some(1), Ok((1, Available, 7)), "two return"),
        (
            (Pending, 0),
            Some(1),
            Ok((1, Available, 2)),
            "two return, as in cancelling",
        ),
        (
            (Pending, 5),
            Some(1),
            Ok((1, Pending, 7)),
            "set aside, it stays aside",
        ),
    ];
    for ((status, quantity), asked, expected, reason) in cases {
        let change = OrderChange {
            quantity: asked,
            ..OrderChange::default()
        };
        let changed = update(&open(order(3)), &change, &item(status, quantity), 1)
            .map(|(order, item)| (order.quantity, item.status, item.quantity));
        assert_eq!(changed, expected, "{reason}");
    }
}

#[test]
fn completing_the_last_open_order_of_a_pet_without_stock_sells_it() {
    // (status, free units, open orders), quantity -> (status, free units)
    let cases = [
        (
            (Pending, 0, 1),
            None,
            (Sold, 0),
            "the last open order, and nothing left",
        ),
        ((Pending, 0, 2), None, (Pending, 0), "another order is open"),
        ((Available, 4, 1), None, (Available, 4), "there is stock"),
        (
            (Pending, 4, 1),
            None,
            (Pending, 4),
            "there is stock, though set aside",
        ),
        (
            (Pending, 0, 1),
            Some(2),
            (Available, 1),
            "a unit returns in the same change",
        ),
        (
            (Available, 1, 1),
            Some(4),
            (Sold, 0),
            "the last unit leaves in the same change",
        ),
    ];
    for ((status, quantity, open_orders), asked, (to, left), reason) in cases {
        let change = OrderChange {
            complete: Some(true),
            quantity: asked,
            ..OrderChange::default()
        };
        let (order, item_after) = update(
            &open(order(3)),
            &change,
            &item(status, quantity),
            open_orders,
        )
        .expect("there is enough");
        assert!(order.complete, "{reason}");
        assert_eq!(item_after, item(to, left), "{reason}");
    }
}

#[test]
fn a_change_may_repeat_the_ids_but_not_alter_them() {
    let none = OrderChange::default();
    let cases = [
        (
            OrderChange {
                id: Some(ORDER),
                pet_id: Some(PET),
                ..none.clone()
            },
            None,
            "its own",
        ),
        (
            OrderChange {
                id: Some(41),
                ..none.clone()
            },
            Some("/id"),
            "another order's",
        ),
        (
            OrderChange {
                pet_id: Some(8),
                ..none.clone()
            },
            Some("/petId"),
            "another pet",
        ),
        (
            OrderChange {
                complete: Some(false),
                ..none
            },
            None,
            "open it is already",
        ),
    ];
    for (change, expected, reason) in cases {
        let refused = update(&open(order(3)), &change, &item(Available, 5), 1)
            .err()
            .map(pointer);
        assert_eq!(refused, expected, "{reason}");
    }
}

#[test]
fn a_ship_date_is_set_and_moved_and_never_cleared() {
    let (monday, tuesday) = (
        date("2026-11-23T10:00:00.123456789Z"),
        date("2026-11-24T10:00:00Z"),
    );
    let cases = [
        (None, None, None, "none yet"),
        (None, Some(monday), Some(monday), "set, to the nanosecond"),
        (Some(monday), Some(tuesday), Some(tuesday), "moved"),
        (Some(monday), None, Some(monday), "left out, it stays"),
    ];
    for (before, asked, expected, reason) in cases {
        let change = OrderChange {
            ship_date: asked,
            ..OrderChange::default()
        };
        let order = Order {
            ship_date: before,
            ..order(3)
        };
        let (order, _) = update(&open(order), &change, &item(Available, 5), 1).expect("no refusal");
        assert_eq!(order.ship_date, expected, "{reason}");
    }
    let beyond = OrderChange {
        ship_date: Some(date("-0001-12-31T23:00:00Z")),
        ..OrderChange::default()
    };
    let refused = update(&open(order(3)), &beyond, &item(Available, 5), 1)
        .err()
        .map(pointer);
    assert_eq!(
        refused,
        Some("/shipDate"),
        "RFC 3339 cannot write it in UTC"
    );
}

#[test]
fn cancelling_returns_the_units() {
    let cases = [
        ((Available, 2), (Available, 5), "more of what there was"),
        (
            (Pending, 0),
            (Available, 3),
            "what was on order is free again",
        ),
        ((Pending, 2), (Pending, 5), "set aside, it stays aside"),
    ];
    for ((status, quantity), (to, sum), reason) in cases {
        assert_eq!(
            cancel(&open(order(3)), &item(status, quantity)),
            item(to, sum),
            "{reason}"
        );
    }
}

#[test]
fn a_complete_order_is_not_open() {
    let complete = Order {
        complete: true,
        ..order(3)
    };
    assert_eq!(
        OpenOrder::of(complete),
        Err(Refusal::OrderAlreadyComplete { id: ORDER })
    );
    assert!(OpenOrder::of(order(3)).is_ok());
}
