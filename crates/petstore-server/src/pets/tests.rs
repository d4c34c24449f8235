//! Each clause of the rules for pets, with a reason for each row.

use super::PetStatus::{Available, Pending, Sold};
use super::*;

const FISH: Category = Category {
    id: 3,
    name: String::new(),
    description: None,
};

fn new(status: Option<PetStatus>) -> NewPet {
    NewPet {
        name: "Nemo".to_owned(),
        category_id: 3,
        status,
    }
}

#[test]
fn a_new_pet_starts_with_the_stock_of_its_status() {
    let cases = [
        (
            None,
            Available,
            1,
            "available unless said otherwise, and then there is one",
        ),
        (Some(Available), Available, 1, "an available pet has stock"),
        (
            Some(Pending),
            Pending,
            0,
            "a pending one is not to be ordered yet",
        ),
        (Some(Sold), Sold, 0, "a sold one has none"),
    ];
    for (asked, status, stock, reason) in cases {
        assert_eq!(
            create(&new(asked), Some(&FISH)),
            Ok(Opening { status, stock }),
            "{reason}"
        );
    }
}

#[test]
fn a_pet_belongs_to_a_category_that_exists() {
    let unknown = Refusal::UnknownCategory { id: 3 };
    assert_eq!(create(&new(None), None), Err(unknown.clone()));
    let item = InventoryItem {
        pet_id: 7,
        quantity: 1,
        status: Available,
    };
    assert_eq!(replace(&item, 0, &new(None), None), Err(unknown));
}

#[test]
fn a_status_leads_only_where_the_rules_say() {
    let no_stock = Refusal::InsufficientStock {
        pet_id: 7,
        free: 0,
        needed: 1,
    };
    let open_orders = Refusal::PetHasOpenOrders {
        pet_id: 7,
        open_orders: 2,
    };
    let final_for = |to| Refusal::InvalidStatusTransition {
        pet_id: 7,
        from: Sold,
        to,
    };
    // (status, free units, open orders) asked for -> (status, free units)
    let cases = [
        (
            (Available, 2, 0),
            None,
            Ok((Available, 2)),
            "left out, it stays",
        ),
        (
            (Sold, 0, 0),
            None,
            Ok((Sold, 0)),
            "left out, it stays, at the end too",
        ),
        (
            (Available, 2, 1),
            Some(Available),
            Ok((Available, 2)),
            "the same is always allowed",
        ),
        (
            (Pending, 0, 1),
            Some(Pending),
            Ok((Pending, 0)),
            "the same is always allowed",
        ),
        (
            (Sold, 0, 0),
            Some(Sold),
            Ok((Sold, 0)),
            "the same is always allowed",
        ),
        (
            (Available, 2, 1),
            Some(Pending),
            Ok((Pending, 2)),
            "set aside, with its stock",
        ),
        (
            (Pending, 2, 0),
            Some(Available),
            Ok((Available, 2)),
            "back on offer",
        ),
        (
            (Pending, 0, 0),
            Some(Available),
            Err(no_stock),
            "nothing to offer",
        ),
        (
            (Available, 2, 0),
            Some(Sold),
            Ok((Sold, 0)),
            "sold by hand, stock and all",
        ),
        (
            (Pending, 2, 0),
            Some(Sold),
            Ok((Sold, 0)),
            "sold by hand from pending",
        ),
        (
            (Available, 2, 2),
            Some(Sold),
            Err(open_orders.clone()),
            "orders hold units",
        ),
        (
            (Pending, 0, 2),
            Some(Sold),
            Err(open_orders),
            "orders hold the last units",
        ),
        (
            (Sold, 0, 0),
            Some(Available),
            Err(final_for(Available)),
            "sold is the end",
        ),
        (
            (Sold, 0, 0),
            Some(Pending),
            Err(final_for(Pending)),
            "sold is the end",
        ),
    ];
    for ((status, quantity, open), asked, expected, reason) in cases {
        let item = InventoryItem {
            pet_id: 7,
            quantity,
            status,
        };
        let replaced = replace(&item, open, &new(asked), Some(&FISH));
        assert_eq!(
            replaced.map(|item| (item.status, item.quantity)),
            expected,
            "{reason}"
        );
    }
}

#[test]
fn a_pet_with_open_orders_stays() {
    assert_eq!(delete(7, 0), Ok(()));
    assert_eq!(
        delete(7, 1),
        Err(Refusal::PetHasOpenOrders {
            pet_id: 7,
            open_orders: 1
        })
    );
}
