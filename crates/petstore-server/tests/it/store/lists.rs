//! Lists with every combination of their filters.

use dropspec_gate::conditional::Precondition;
use petstore_api::types::PetStatus::{Available, Pending};
use petstore_server::categories::Category;
use petstore_server::inventory::InventoryItem;
use petstore_server::orders::{Order, OrderBody};
use petstore_server::pets::Pet;

use crate::store::fixture::{ALL, Fixture, category, on_every_store, order, pet};

on_every_store!(
    pets_and_inventory_are_filtered,
    orders_are_filtered_by_pet_and_completion,
);

async fn pets_and_inventory_are_filtered(fixture: Fixture) {
    for name in ["Fish", "Bird"] {
        fixture
            .create::<Category>(category(name), None)
            .await
            .unwrap();
    }
    for (category, status) in [
        (1, Available),
        (1, Pending),
        (2, Available),
        (2, Pending),
        (1, Available),
    ] {
        let mut new = pet("Nemo", category);
        new.status = Some(status);
        fixture.create::<Pet>(new, None).await.unwrap();
    }
    // (id, category, status) -> ids of pets
    let cases = [
        ((None, None, None), vec![1, 2, 3, 4, 5]),
        ((None, None, Some(Available)), vec![1, 3, 5]),
        ((None, Some(1), None), vec![1, 2, 5]),
        ((None, Some(1), Some(Available)), vec![1, 5]),
        ((Some(4), None, None), vec![4]),
        ((Some(4), None, Some(Available)), vec![]), // pet 4 is pending
        ((None, Some(9), None), vec![]),            // no such category
    ];
    for ((id, category_id, status), expected) in cases {
        let filters = vec![
            ("id", id.into()),
            ("category_id", category_id.into()),
            ("status", status.into()),
        ];
        let page = fixture.list::<Pet>(filters, ALL).await.unwrap();
        let ids: Vec<i64> = page.items.iter().map(|pet| pet.id).collect();
        assert_eq!(ids, expected, "{id:?}, {category_id:?}, {status:?}");
    }

    let pending = vec![("status", Pending.into())];
    let page = fixture.list::<InventoryItem>(pending, ALL).await.unwrap();
    let items: Vec<_> = page
        .items
        .iter()
        .map(|item| (item.pet_id, item.quantity))
        .collect();
    assert_eq!(items, [(2, 0), (4, 0)]);
}

async fn orders_are_filtered_by_pet_and_completion(fixture: Fixture) {
    let first = fixture.pet_with_stock(10).await;
    let category_id = fixture.get::<Pet>(first).await.unwrap().category_id;
    let second = fixture
        .create::<Pet>(pet("Dory", category_id), None)
        .await
        .unwrap()
        .record
        .id;
    for pet in [first, second, first] {
        fixture.create::<Order>(order(pet, 1), None).await.unwrap();
    }
    let complete = OrderBody {
        complete: Some(true),
        ..OrderBody::default()
    };
    fixture
        .replace::<Order>(3, complete, Precondition::NONE)
        .await
        .unwrap();

    let cases = [
        (None, None, vec![1, 2, 3]),         // no filter
        (Some(first), None, vec![1, 3]),     // pet
        (None, Some(false), vec![1, 2]),     // open
        (None, Some(true), vec![3]),         // complete
        (Some(first), Some(false), vec![1]), // both
        (Some(second), Some(true), vec![]),  // both, without a match
    ];
    for (pet_id, complete, expected) in cases {
        let filters = vec![("pet_id", pet_id.into()), ("complete", complete.into())];
        let page = fixture.list::<Order>(filters, ALL).await.unwrap();
        let ids: Vec<i64> = page.items.iter().map(|order| order.id).collect();
        assert_eq!(ids, expected, "{pet_id:?}, {complete:?}");
    }
}
