//! Random sequences of calls: store and model return the same outcomes and reach the same state, and the invariants
//! hold.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dropspec_gate::conditional::Precondition;
use petstore_server::categories::{Category, NewCategory};
use petstore_server::orders::{Order, OrderBody};
use petstore_server::pets::{NewPet, Pet};
use petstore_server::store::{Created, IdempotentRequest, Store, StoreError, canonical_body_hash};
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use test_postgres::TestDatabase;

use crate::store::fixture::Fixture;
use crate::store::model::{Key, Model, OrderFields, Outcome, Step};
use crate::store::snapshot::Snapshot;

#[test]
fn store_on_sqlite_and_model_return_the_same_outcomes() {
    check_random_steps(async || Fixture::on_sqlite());
}

#[test]
fn store_on_postgres_and_model_return_the_same_outcomes() {
    let Some(database) = TestDatabase::create("model_on_postgres") else {
        return;
    };
    let database = Arc::new(database);
    let clear = "TRUNCATE categories, pets, orders, idempotency_keys RESTART IDENTITY CASCADE";
    check_random_steps(async || {
        let fixture = Fixture::on(&database).await;
        database.execute(clear);
        fixture
    });
}

/// Compares store and model for many sequences of steps, each on a store without records.
fn check_random_steps(new_store: impl AsyncFn() -> Fixture) {
    let config = ProptestConfig {
        cases: 96,
        max_shrink_iters: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let compared = TestRunner::new(config).run(&prop::collection::vec(step(), 1..80), |steps| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let steps = [initial_steps(), steps].concat();
        runtime.block_on(async { compare(&*new_store().await, &steps).await });
        Ok(())
    });
    compared.unwrap();
}

/// Steps that create a few records, so that random steps find something to act on.
fn initial_steps() -> Vec<Step> {
    let pet = |category| Step::CreatePet(category, None, None);
    vec![
        Step::CreateCategory("fish", None),
        Step::CreateCategory("bird", None),
        pet(1),
        pet(1),
        pet(2),
        Step::SetInventory(1, 6),
        Step::SetInventory(2, 3),
    ]
}

async fn compare(store: &Store, steps: &[Step]) {
    let mut model = Model::default();
    let mut units = Snapshot::read(store).await.units();
    for step in steps {
        let expected = model.apply(step);
        let outcome = perform(store, step, model.hour).await;
        assert_eq!(outcome, expected, "{step:?}");

        let snapshot = Snapshot::read(store).await;
        snapshot.check();
        assert_same_state(&snapshot, &model);
        let units_after = snapshot.units();
        use Step::{CancelOrder, PlaceOrder, UpdateOrder};
        if matches!(step, PlaceOrder(..) | UpdateOrder(..) | CancelOrder(_)) {
            assert_eq!(units, units_after, "{step:?} changed the number of units");
        }
        units = units_after;
    }
}

/// Performs a step on the store, and describes the outcome like the model.
async fn perform(store: &Store, step: &Step, hour: i64) -> Outcome {
    let now = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(hour);
    let keyed = |operation, key: Key| {
        key.map(|key| IdempotentRequest {
            caller: "1".to_owned(),
            operation,
            key: key.to_string(),
            body_hash: canonical_body_hash(&format!("{step:?}").into()),
            now,
            expired: now,
        })
    };
    let category = |name: &str| NewCategory {
        name: name.to_owned(),
        description: None,
    };
    let pet = |category_id, status: Option<&str>| NewPet {
        name: "Nemo".to_owned(),
        category_id,
        status: status.map(|status| serde_json::from_value(status.into()).unwrap()),
    };
    let order = |it: OrderFields| OrderBody {
        id: it.id,
        pet_id: it.pet,
        quantity: it.quantity,
        ship_date: None,
        complete: it.complete,
    };
    let none = Precondition::NONE;
    match *step {
        Step::CreateCategory(name, key) => {
            let key = keyed("category", key);
            let created = store.create::<Category>(category(name), key).await;
            describe_created(created, describe_category)
        }
        Step::ReplaceCategory(id, name) => {
            let replaced = store.replace::<Category>(id, category(name), none).await;
            describe_result(replaced, describe_category)
        }
        Step::DeleteCategory(id) => {
            describe_result(store.delete::<Category>(id, none).await, deleted)
        }
        Step::CreatePet(category, status, key) => {
            let created = store.create::<Pet>(pet(category, status), keyed("pet", key));
            describe_created(created.await, describe_pet)
        }
        Step::ReplacePet(id, category, status) => {
            let replaced = store.replace::<Pet>(id, pet(category, status), none).await;
            describe_result(replaced, describe_pet)
        }
        Step::DeletePet(id) => describe_result(store.delete::<Pet>(id, none).await, deleted),
        Step::PlaceOrder(new, key) => {
            let placed = store.create::<Order>(order(new), keyed("order", key)).await;
            describe_created(placed, describe_order)
        }
        Step::UpdateOrder(id, change) => {
            let updated = store.replace::<Order>(id, order(change), none).await;
            describe_result(updated, describe_order)
        }
        Step::CancelOrder(id) => describe_result(store.delete::<Order>(id, none).await, deleted),
        Step::SetInventory(pet, quantity) => {
            let set = store.set_inventory(pet, quantity, none).await;
            describe_result(set, |it| {
                format!("{} of {}, {}", it.quantity, it.pet_id, it.status)
            })
        }
        Step::Wait(_) => Ok("later".to_owned()),
    }
}

fn assert_same_state(snapshot: &Snapshot, model: &Model) {
    let stored = snapshot.categories.iter().map(|it| (it.id, &it.name));
    let expected = model.categories.iter().map(|(id, name)| (*id, name));
    assert!(stored.eq(expected), "{:?}", snapshot.categories);

    let stored = snapshot.pets.iter().zip(&snapshot.inventory);
    let stored = stored.map(|(pet, item)| {
        (
            pet.id,
            pet.category_id,
            item.status.to_string(),
            item.quantity,
        )
    });
    let pets = model.pets.iter();
    let expected = pets.map(|(id, pet)| (*id, pet.category, pet.status.to_owned(), pet.stock));
    assert_eq!(stored.collect::<Vec<_>>(), expected.collect::<Vec<_>>());

    let orders = snapshot.orders.iter();
    let stored = orders.map(|it| (it.id, it.pet_id, it.quantity, it.complete));
    let orders = model.orders.iter();
    let expected = orders.map(|(id, it)| (*id, it.pet, it.quantity, it.complete));
    assert_eq!(stored.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

fn describe_result<T>(
    result: Result<T, StoreError>,
    describe: impl FnOnce(T) -> String,
) -> Outcome {
    match result {
        Ok(record) => Ok(describe(record)),
        Err(StoreError::RuleViolation(violation)) => Err(format!("{:?}", violation.code)),
        Err(other) => panic!("the store failed: {other:?}"),
    }
}

fn describe_created<T>(
    result: Result<Created<T>, StoreError>,
    describe: impl FnOnce(T) -> String,
) -> Outcome {
    describe_result(result, |created| {
        if created.replayed {
            format!("again: {}", describe(created.record))
        } else {
            describe(created.record)
        }
    })
}

fn describe_category(category: Category) -> String {
    format!("category {} {}", category.id, category.name)
}

fn describe_pet(pet: Pet) -> String {
    format!("pet {} of {}, {}", pet.id, pet.category_id, pet.status)
}

fn describe_order(order: Order) -> String {
    let state = if order.complete { "complete" } else { "open" };
    format!(
        "order {} of {} of {}, {state}",
        order.id, order.quantity, order.pet_id
    )
}

fn deleted((): ()) -> String {
    "deleted".to_owned()
}

/// Few ids, few names and small quantities, so that steps often concern the same records; sometimes an unknown id.
fn step() -> impl Strategy<Value = Step> {
    let id = || prop_oneof![9 => 1..4i64, 1 => 4..9i64];
    let order = || 1..10i64;
    let name = || select(vec!["fish", "FISH", "bird", "Bird", "cat"]);
    let status = || of(select(vec!["available", "pending", "pending", "sold"]));
    let key = || weighted(0.3, 0..3u8);
    let quantity = || of(1..5i64);
    let seldom = |value| weighted(0.05, value);
    let fields = |id, pet, quantity, complete| OrderFields {
        id,
        pet,
        quantity,
        complete,
    };
    prop_oneof![
        2 => (name(), key()).prop_map(|(name, key)| Step::CreateCategory(name, key)),
        1 => (id(), name()).prop_map(|(id, name)| Step::ReplaceCategory(id, name)),
        1 => id().prop_map(Step::DeleteCategory),
        3 => (id(), status(), key())
            .prop_map(|(category, status, key)| Step::CreatePet(category, status, key)),
        4 => (id(), id(), status())
            .prop_map(|(id, category, status)| Step::ReplacePet(id, category, status)),
        1 => id().prop_map(Step::DeletePet),
        8 => (seldom(1..3i64), weighted(0.95, id()), quantity(), of(prop::bool::weighted(0.1)), key())
            .prop_map(move |(id, pet, quantity, complete, key)| {
                Step::PlaceOrder(fields(id, pet, quantity, complete), key)
            }),
        6 => (order(), seldom(1..5i64), seldom(1..5i64), quantity(), of(any::<bool>()))
            .prop_map(move |(order, id, pet, quantity, complete)| {
                Step::UpdateOrder(order, fields(id, pet, quantity, complete))
            }),
        4 => order().prop_map(Step::CancelOrder),
        5 => (id(), prop_oneof![1 => Just(0), 3 => 1..8i64])
            .prop_map(|(pet, quantity)| Step::SetInventory(pet, quantity)),
        1 => (1..30i64).prop_map(Step::Wait),
    ]
}
