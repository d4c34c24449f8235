//! The rules for pets, with a reason for each row.

use petstore_api::types::PetStatus::{Available, Pending, Sold};

use super::*;

fn new(status: Option<PetStatus>) -> NewPet {
    NewPet {
        name: "Nemo".to_owned(),
        category_id: 3,
        status,
    }
}

#[test]
fn new_pet_has_one_unit_if_available_and_none_otherwise() {
    let cases = [
        (None, Available, 1),            // available is the default
        (Some(Available), Available, 1), // an available pet has stock
        (Some(Pending), Pending, 0),     // a pending pet cannot be ordered
        (Some(Sold), Sold, 0),           // a sold pet has no stock
    ];
    for (requested, status, quantity) in cases {
        let initial = initial_stock(&new(requested));
        assert_eq!((initial.status, initial.quantity), (status, quantity));
    }
}

#[test]
fn status_changes_follow_the_rules() {
    let no_stock = insufficient_stock(7, 0, 1);
    let open_orders = has_open_orders(7, 2);
    let sold_is_final = |to| {
        let message = format!(
            "pet 7 is sold and cannot be made {to} by hand; set its inventory above 0 to reopen it"
        );
        RuleViolation::new(ErrorCode::InvalidStatusTransition, message)
    };
    // (status, free units, open orders), requested status -> (status, free units)
    let cases = [
        ((Available, 2, 0), None, Ok((Available, 2))), // no status requested
        ((Sold, 0, 0), None, Ok((Sold, 0))),           // no status requested for a sold pet
        ((Available, 2, 1), Some(Available), Ok((Available, 2))), // the same is always allowed
        ((Pending, 0, 1), Some(Pending), Ok((Pending, 0))), // the same is always allowed
        ((Sold, 0, 0), Some(Sold), Ok((Sold, 0))),     // the same is always allowed
        ((Available, 2, 1), Some(Pending), Ok((Pending, 2))), // set aside; the stock is unchanged
        ((Pending, 2, 0), Some(Available), Ok((Available, 2))), // available again
        ((Pending, 0, 0), Some(Available), Err(no_stock)), // an available pet needs stock
        ((Available, 2, 0), Some(Sold), Ok((Sold, 0))), // sold by hand; the stock becomes 0
        ((Pending, 2, 0), Some(Sold), Ok((Sold, 0))),  // sold by hand; the stock becomes 0
        ((Available, 2, 2), Some(Sold), Err(open_orders.clone())), // open orders prevent it
        ((Pending, 0, 2), Some(Sold), Err(open_orders)), // open orders prevent it
        ((Sold, 0, 0), Some(Available), Err(sold_is_final(Available))), // sold is final
        ((Sold, 0, 0), Some(Pending), Err(sold_is_final(Pending))), // sold is final
    ];
    for (before, requested, expected) in cases {
        let (status, quantity, open) = before;
        let item = InventoryItem {
            pet_id: 7,
            quantity,
            status,
        };
        let replaced = stock_after_replace(&item, open, &new(requested));
        let replaced = replaced.map(|item| (item.status, item.quantity));
        assert_eq!(replaced, expected, "{before:?} to {requested:?}");
    }
}

#[test]
fn pet_with_open_orders_cannot_be_deleted() {
    assert_eq!(check_delete(7, 0), Ok(()));
    assert_eq!(check_delete(7, 1), Err(has_open_orders(7, 1)));
}
