//! Saving and reading records: dates, ids of deleted records, category names.

use petstore_server::orders::OrderBody;
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::orders::OrderFilter;
use petstore_server::store::{CategoryStore, OrderStore, PetStore};
use spec_gate::conditional::Precondition;

use crate::store::fixture::{ALL, Fixture, category, order, pet, violation};

on_every_store!(
    ship_date_is_stored_to_the_nanosecond,
    completed_order_remains_after_its_pet_is_deleted_and_ids_are_not_reused,
    category_name_is_unique_regardless_of_case,
);

async fn ship_date_is_stored_to_the_nanosecond(fixture: Fixture) {
    let pet = fixture.pet_with_stock(100).await;
    let dates = [
        "2026-11-23T10:00:00Z",
        "2026-11-23T10:00:00.5Z",
        "2026-11-23T10:00:00.123456789Z",
        "2016-12-31T23:59:60.25Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z",
        "1969-12-31T23:59:59.999Z",
    ];
    for text in dates {
        let date = Some(text.parse().unwrap());
        let new = OrderBody {
            ship_date: date,
            ..order(pet, 1)
        };
        let id = fixture.place_order(new, None).await.unwrap().record.id;
        assert_eq!(
            fixture.get_order(id).await.unwrap().ship_date,
            date,
            "{text}"
        );
    }
}

async fn completed_order_remains_after_its_pet_is_deleted_and_ids_are_not_reused(fixture: Fixture) {
    let pet_id = fixture.pet_with_stock(1).await;
    let order_id = fixture
        .place_order(order(pet_id, 1), None)
        .await
        .unwrap()
        .record
        .id;
    assert_eq!(
        violation(fixture.delete_pet(pet_id, Precondition::NONE).await),
        RuleViolation::PetHasOpenOrders {
            pet_id,
            open_orders: 1
        }
    );
    let complete = OrderBody {
        complete: Some(true),
        ..OrderBody::default()
    };
    fixture
        .update_order(order_id, complete.clone(), Precondition::NONE)
        .await
        .unwrap();
    let category_id = fixture.get_pet(pet_id).await.unwrap().category_id;

    fixture
        .delete_pet(pet_id, Precondition::NONE)
        .await
        .unwrap();
    let history = fixture.get_order(order_id).await.unwrap();
    assert_eq!((history.pet_id, history.complete), (pet_id, true));
    let of_pet = OrderFilter {
        pet_id: Some(pet_id),
        ..OrderFilter::default()
    };
    assert_eq!(
        fixture.list_orders(of_pet, ALL).await.unwrap().items,
        [history]
    );
    let complete_twice = fixture
        .update_order(order_id, complete, Precondition::NONE)
        .await;
    assert_eq!(
        violation(complete_twice),
        RuleViolation::OrderAlreadyComplete { id: order_id }
    );
    assert_eq!(
        violation(fixture.cancel_order(order_id, Precondition::NONE).await),
        RuleViolation::OrderAlreadyComplete { id: order_id }
    );

    let next = fixture
        .create_pet(pet("Dory", category_id), None)
        .await
        .unwrap()
        .record
        .id;
    assert_eq!(next, pet_id + 1, "an old order must not refer to a new pet");
}

async fn category_name_is_unique_regardless_of_case(fixture: Fixture) {
    let first = fixture
        .create_category(category("Straße"), None)
        .await
        .unwrap()
        .record;
    let taken = RuleViolation::CategoryExists { id: first.id };
    let second = fixture
        .create_category(category("Weg"), None)
        .await
        .unwrap()
        .record;
    assert_eq!(
        violation(fixture.create_category(category("STRASSE"), None).await),
        taken
    );
    assert_eq!(
        violation(
            fixture
                .replace_category(second.id, category("strasse"), Precondition::NONE)
                .await
        ),
        taken
    );

    let renamed = fixture
        .replace_category(first.id, category("STRASSE"), Precondition::NONE)
        .await
        .unwrap();
    assert_eq!(renamed.name, "STRASSE", "its own name in another case");
    fixture
        .delete_category(first.id, Precondition::NONE)
        .await
        .unwrap();
    fixture
        .replace_category(second.id, category("straße"), Precondition::NONE)
        .await
        .unwrap();
}
