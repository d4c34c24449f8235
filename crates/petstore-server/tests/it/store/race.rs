//! 64 concurrent callers order more units than there are.

use futures::future::join_all;
use petstore_server::pet_status::PetStatus;
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::StoreError;
use spec_gate::conditional::Precondition;

use crate::store::fixture::{ALL, Fixture, order};

const CALLERS: i64 = 64;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_orders_get_exactly_the_free_units() {
    let fixture = Fixture::new();
    let pet = fixture.pet_with_stock(10).await;
    let callers = (0..CALLERS).map(|_| {
        let store = fixture.store.clone();
        tokio::spawn(async move { store.place_order(order(pet, 1), None).await })
    });

    let mut placed = 0;
    for outcome in join_all(callers).await {
        match outcome.unwrap() {
            Ok(_) => placed += 1,
            // The tenth order makes the pet pending.
            Err(StoreError::RuleViolation(RuleViolation::PetNotAvailable {
                status: PetStatus::Pending,
                ..
            })) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(placed, 10);
    let item = fixture.get_inventory_item(pet).await.unwrap();
    assert_eq!((item.quantity, item.status), (0, PetStatus::Pending));
    assert_eq!(
        fixture
            .list_orders(Default::default(), ALL)
            .await
            .unwrap()
            .items
            .len(),
        10
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_orders_and_cancellations_keep_the_number_of_units() {
    let fixture = Fixture::new();
    let pet = fixture.pet_with_stock(40).await;
    let callers = (0..CALLERS).map(|caller| {
        let store = fixture.store.clone();
        tokio::spawn(async move {
            let placed = store.place_order(order(pet, 1 + caller % 3), None).await;
            match placed {
                Ok(created) if caller % 4 == 0 => {
                    store
                        .cancel_order(created.record.id, Precondition::NONE)
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
    let free = fixture.get_inventory_item(pet).await.unwrap().quantity;
    let orders = fixture
        .list_orders(Default::default(), ALL)
        .await
        .unwrap()
        .items;
    let held: i64 = orders.iter().map(|order| order.quantity).sum();
    assert_eq!(free + held, 40);
}
