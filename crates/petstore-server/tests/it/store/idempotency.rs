//! Requests with an idempotency key: what is stored for each kind of record, and the rule against reuse.

use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{
    CategoryStore, Created, IdempotentRequest, InventoryStore, OrderStore, PetStore,
};
use spec_gate::conditional::Precondition;

use crate::store::fixture::{Fixture, category, order, pet, violation};

on_every_store!(
    every_kind_of_record_is_replayed_as_it_was_created,
    key_with_another_body_is_a_rule_violation,
);

fn request(operation: &'static str, body: u8) -> Option<IdempotentRequest> {
    Some(IdempotentRequest {
        caller: "7".to_owned(),
        operation,
        key: "key".to_owned(),
        body_hash: [body; 32],
        now: "2026-11-21T12:00:00Z".parse().unwrap(),
        expired: "2026-11-21T12:00:00Z".parse().unwrap(),
    })
}

async fn every_kind_of_record_is_replayed_as_it_was_created(fixture: Fixture) {
    let pet_id = fixture.pet_with_stock(5).await;
    let place = || {
        let mut new = order(pet_id, 2);
        new.ship_date = Some("2026-11-23T10:00:00.123456789Z".parse().unwrap());
        fixture.place_order(new, request("placeOrder", 1))
    };
    let first = place().await.unwrap();
    assert!(!first.replayed);
    fixture
        .cancel_order(first.record.id, Precondition::NONE)
        .await
        .unwrap();
    let again = place().await.unwrap();
    assert_eq!(
        again,
        Created {
            record: first.record,
            replayed: true
        },
        "although it was cancelled"
    );
    assert_eq!(
        fixture.get_inventory_item(pet_id).await.unwrap().quantity,
        5,
        "the replay takes no units"
    );

    let create = || fixture.create_pet(pet("Dory", 1), request("createPet", 1));
    let first = create().await.unwrap();
    assert_eq!(
        create().await.unwrap(),
        Created {
            record: first.record,
            replayed: true
        }
    );

    let create = || fixture.create_category(category("Birds"), request("createCategory", 1));
    let first = create().await.unwrap();
    assert_eq!(
        create().await.unwrap(),
        Created {
            record: first.record,
            replayed: true
        }
    );
}

async fn key_with_another_body_is_a_rule_violation(fixture: Fixture) {
    fixture
        .create_category(category("Fish"), request("createCategory", 1))
        .await
        .unwrap();
    let reused = fixture
        .create_category(category("Bird"), request("createCategory", 2))
        .await;
    assert_eq!(violation(reused), RuleViolation::IdempotencyKeyReused);
}
