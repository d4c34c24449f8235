//! What is saved is what is read, and what is gone is gone.

use petstore_server::orders::{NewOrder, OrderChange};
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{OrderFilter, Store};

use crate::store::fixture::{ALL, Fixture, category, config, order, pet, refusal};

#[tokio::test]
async fn records_survive_a_restart() {
    let fixture = Fixture::new();
    let pet_id = fixture.pet_with_stock(5).await;
    let placed = fixture
        .place_order(order(pet_id, 2), None)
        .await
        .unwrap()
        .record;
    let pet_before = fixture.pet(pet_id).await.unwrap();
    fixture.close().await.unwrap();

    let Fixture { store, directory } = fixture;
    drop(store);
    let store = Store::open(&config(directory.path().join("pets.db"))).unwrap();
    assert_eq!(store.pet(pet_id).await.unwrap(), pet_before);
    assert_eq!(store.order(placed.id).await.unwrap(), placed);
    assert_eq!(store.inventory_item(pet_id).await.unwrap().quantity, 3);
    assert_eq!(
        store.category(pet_before.category_id).await.unwrap().name,
        "Fish"
    );
}

#[tokio::test]
async fn a_ship_date_is_kept_to_the_nanosecond() {
    let fixture = Fixture::new();
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
        let new = NewOrder {
            ship_date: date,
            ..order(pet, 1)
        };
        let id = fixture.place_order(new, None).await.unwrap().record.id;
        assert_eq!(fixture.order(id).await.unwrap().ship_date, date, "{text}");
    }
}

#[tokio::test]
async fn a_completed_order_outlives_its_pet_and_no_id_is_used_again() {
    let fixture = Fixture::new();
    let pet_id = fixture.pet_with_stock(1).await;
    let order_id = fixture
        .place_order(order(pet_id, 1), None)
        .await
        .unwrap()
        .record
        .id;
    assert_eq!(
        refusal(fixture.delete_pet(pet_id).await),
        RuleViolation::PetHasOpenOrders {
            pet_id,
            open_orders: 1
        }
    );
    let complete = OrderChange {
        complete: Some(true),
        ..OrderChange::default()
    };
    fixture
        .update_order(order_id, complete.clone())
        .await
        .unwrap();
    let category_id = fixture.pet(pet_id).await.unwrap().category_id;

    fixture.delete_pet(pet_id).await.unwrap();
    let history = fixture.order(order_id).await.unwrap();
    assert_eq!((history.pet_id, history.complete), (pet_id, true));
    let of_pet = OrderFilter {
        pet_id: Some(pet_id),
        ..OrderFilter::default()
    };
    assert_eq!(fixture.orders(of_pet, ALL).await.unwrap().items, [history]);
    let complete_twice = fixture.update_order(order_id, complete).await;
    assert_eq!(
        refusal(complete_twice),
        RuleViolation::OrderAlreadyComplete { id: order_id }
    );
    assert_eq!(
        refusal(fixture.cancel_order(order_id).await),
        RuleViolation::OrderAlreadyComplete { id: order_id }
    );

    let next = fixture
        .create_pet(pet("Dory", category_id), None)
        .await
        .unwrap()
        .record
        .id;
    assert_eq!(
        next,
        pet_id + 1,
        "history must not come to mean another pet"
    );
}

#[tokio::test]
async fn a_category_name_is_taken_in_every_case() {
    let fixture = Fixture::new();
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
        refusal(fixture.create_category(category("STRASSE"), None).await),
        taken
    );
    assert_eq!(
        refusal(
            fixture
                .replace_category(second.id, category("strasse"))
                .await
        ),
        taken
    );

    let renamed = fixture
        .replace_category(first.id, category("STRASSE"))
        .await
        .unwrap();
    assert_eq!(renamed.name, "STRASSE", "its own name in another case");
    fixture.delete_category(first.id).await.unwrap();
    fixture
        .replace_category(second.id, category("straße"))
        .await
        .unwrap();
}
