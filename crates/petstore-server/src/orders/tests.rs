//! The rules for the date of an order. The other rules for orders are tested with the model of the store.

use petstore_api::types::PetStatus::Available;

use super::*;

const PET: i64 = 7;

fn open(ship_date: Option<DateTime<Utc>>) -> OpenOrder {
    OpenOrder(Order {
        id: 40,
        pet_id: PET,
        quantity: 3,
        ship_date,
        complete: false,
    })
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
fn date_is_set_or_changed_to_one_with_a_year_of_four_digits() {
    let new = validate_new(&shipped(date("+10000-01-01T00:00:00Z")));
    assert_eq!(new.map_err(pointer), Err("/shipDate".to_owned()));

    let item = InventoryItem {
        pet_id: PET,
        quantity: 5,
        status: Available,
    };
    let (monday, tuesday) = (
        date("2026-11-23T10:00:00.123456789Z"),
        date("2026-11-24T10:00:00Z"),
    );
    let before_year_0 = date("-0001-12-31T23:00:00Z");
    for (before, change, expected) in [
        (None, monday, Ok(monday)),              // set, with nanoseconds
        (monday, tuesday, Ok(tuesday)),          // changed
        (monday, None, Ok(monday)),              // not requested
        (None, before_year_0, Err("/shipDate")), // more than four digits
    ] {
        let changed = apply_change(&open(before), &shipped(change), &item, 1);
        let date = changed.map(|(order, _)| order.ship_date).map_err(pointer);
        assert_eq!(date, expected.map_err(str::to_owned), "{change:?}");
    }
}
