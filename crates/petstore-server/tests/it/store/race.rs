//! 64 concurrent callers order more units than there are.

use chrono::DateTime;
use dropspec_gate::conditional::Precondition;
use futures::future::join_all;
use petstore_api::ErrorCode;
use petstore_api::types::PetStatus;
use petstore_server::categories::Category;
use petstore_server::inventory::InventoryItem;
use petstore_server::orders::{Order, OrderBody};
use petstore_server::pets::Pet;
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{IdempotentRequest, StoreError};

use crate::store::fixture::{ALL, Fixture, category, on_every_store, order, pet};
use crate::store::snapshot::Snapshot;

on_every_store!(
    concurrent_orders_get_exactly_the_free_units,
    concurrent_orders_and_cancellations_keep_the_number_of_units,
    concurrent_duplicates_of_an_order_are_replayed,
    concurrent_categories_of_one_name_are_one,
    concurrent_changes_keep_the_invariants,
);

const CALLERS: i64 = 64;

async fn concurrent_orders_get_exactly_the_free_units(fixture: Fixture) {
    let pet = fixture.pet_with_stock(10).await;
    let callers = (0..CALLERS).map(|_| {
        let store = fixture.store.clone();
        tokio::spawn(async move { store.create::<Order>(order(pet, 1), None).await })
    });

    let mut placed = 0;
    for outcome in join_all(callers).await {
        match outcome.unwrap() {
            Ok(_) => placed += 1,
            // The tenth order makes the pet pending.
            Err(StoreError::RuleViolation(RuleViolation {
                code: ErrorCode::PetNotAvailable,
                message,
            })) => assert!(message.contains("is pending"), "{message}"),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(placed, 10);
    let item = fixture.get::<InventoryItem>(pet).await.unwrap();
    assert_eq!((item.quantity, item.status), (0, PetStatus::Pending));
    assert_eq!(
        fixture
            .list::<Order>(Vec::new(), ALL)
            .await
            .unwrap()
            .items
            .len(),
        10
    );
}

async fn concurrent_orders_and_cancellations_keep_the_number_of_units(fixture: Fixture) {
    let pet = fixture.pet_with_stock(40).await;
    let callers = (0..CALLERS).map(|caller| {
        let store = fixture.store.clone();
        tokio::spawn(async move {
            let placed = store
                .create::<Order>(order(pet, 1 + caller % 3), None)
                .await;
            match placed {
                Ok(created) if caller % 4 == 0 => {
                    store
                        .delete::<Order>(created.record.id, Precondition::NONE)
                        .await
                }
                Ok(_) | Err(StoreError::RuleViolation(_)) => Ok(()),
                Err(other) => Err(other),
            }
        })
    });
    for outcome in join_all(callers).await {
        outcome.unwrap().unwrap();
    }
    let free = fixture.get::<InventoryItem>(pet).await.unwrap().quantity;
    let orders = fixture.list::<Order>(Vec::new(), ALL).await.unwrap().items;
    let held: i64 = orders.iter().map(|order| order.quantity).sum();
    assert_eq!(free + held, 40);
}

async fn concurrent_duplicates_of_an_order_are_replayed(fixture: Fixture) {
    let pet = fixture.pet_with_stock(1).await;
    let callers = (0..CALLERS).map(|_| {
        let store = fixture.store.clone();
        let request = IdempotentRequest {
            caller: "7".to_owned(),
            operation: "placeOrder",
            key: "key".to_owned(),
            body_hash: [1; 32],
            now: DateTime::UNIX_EPOCH,
            expired: DateTime::UNIX_EPOCH,
        };
        tokio::spawn(async move { store.create::<Order>(order(pet, 1), Some(request)).await })
    });
    let mut created = 0;
    for outcome in join_all(callers).await {
        // Not one of them finds that the unit is gone.
        let outcome = outcome.unwrap().unwrap();
        assert_eq!(outcome.record.id, 1);
        created += usize::from(!outcome.replayed);
    }
    assert_eq!(created, 1);
}

async fn concurrent_categories_of_one_name_are_one(fixture: Fixture) {
    let callers = (0..CALLERS).map(|caller| {
        let store = fixture.store.clone();
        let name = if caller % 2 == 0 { "Fish" } else { "FISH" };
        tokio::spawn(async move { store.create::<Category>(category(name), None).await })
    });
    let mut created = 0;
    for outcome in join_all(callers).await {
        match outcome.unwrap() {
            Ok(_) => created += 1,
            Err(StoreError::RuleViolation(it)) if it.code == ErrorCode::CategoryExists => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(created, 1);
}

/// Calls that lock rows of several tables, in all combinations. None may fail but by a rule.
async fn concurrent_changes_keep_the_invariants(fixture: Fixture) {
    let pets = [
        fixture.pet_with_stock(20).await,
        fixture
            .create::<Pet>(pet("Dory", 1), None)
            .await
            .unwrap()
            .record
            .id,
    ];
    let callers = (0..4 * CALLERS).map(|caller| {
        let store = fixture.store.clone();
        let id = pets[usize::from(caller % 3 == 0)];
        tokio::spawn(async move {
            let none = Precondition::NONE;
            match caller % 8 {
                0 => store.delete::<Category>(1, none).await,
                1 => store.create::<Pet>(pet("Nemo", 1), None).await.map(|_| ()),
                2 => store
                    .replace::<Pet>(id, pet("Coral", 1), none)
                    .await
                    .map(|_| ()),
                3 => store.delete::<Pet>(id, none).await,
                4 => store.set_inventory(id, 5, none).await.map(|_| ()),
                5 => store.delete::<Order>(caller / 8, none).await,
                6 => {
                    let complete = OrderBody {
                        complete: Some(true),
                        ..OrderBody::default()
                    };
                    store
                        .replace::<Order>(caller / 8, complete, none)
                        .await
                        .map(|_| ())
                }
                _ => store.create::<Order>(order(id, 1), None).await.map(|_| ()),
            }
        })
    });
    for outcome in join_all(callers).await {
        match outcome.unwrap() {
            Ok(()) | Err(StoreError::RuleViolation(_)) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    Snapshot::read(&fixture.store).await.check();
}
