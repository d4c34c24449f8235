//! A request repeated with its key is answered as it was the first time, for a day.

use chrono::{DateTime, TimeDelta, Utc};
use petstore_server::rule_violation::RuleViolation;
use petstore_server::store::{Created, IdempotentRequest, REPLAY_PERIOD};

use crate::store::fixture::{ALL, Fixture, category, order, pet, refusal};

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

/// The first request of the tests; each changes what it is about.
fn request() -> Option<IdempotentRequest> {
    keyed(|_| {})
}

fn keyed(change: impl FnOnce(&mut IdempotentRequest)) -> Option<IdempotentRequest> {
    let mut request = IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createCategory",
        key: "key".to_owned(),
        body_hash: [1; 32],
        now: noon(),
    };
    change(&mut request);
    Some(request)
}

#[tokio::test]
async fn each_kind_of_record_is_replayed_as_it_was_created() {
    let fixture = Fixture::new();
    let pet_id = fixture.pet_with_stock(5).await;
    let place = || {
        let mut new = order(pet_id, 2);
        new.ship_date = Some("2026-11-23T10:00:00.123456789Z".parse().unwrap());
        fixture.place_order(new, request())
    };
    let first = place().await.unwrap();
    assert!(!first.replayed);
    fixture.cancel_order(first.record.id).await.unwrap();
    let again = place().await.unwrap();
    assert_eq!(
        again,
        Created {
            record: first.record,
            replayed: true
        },
        "though it is gone since"
    );
    assert_eq!(
        fixture.inventory_item(pet_id).await.unwrap().quantity,
        5,
        "and takes no units"
    );

    let create = || fixture.create_pet(pet("Dory", 1), keyed(|it| it.operation = "createPet"));
    let first = create().await.unwrap();
    assert_eq!(
        create().await.unwrap(),
        Created {
            record: first.record,
            replayed: true
        }
    );

    let create =
        || fixture.create_category(category("Birds"), keyed(|it| it.key = "birds".to_owned()));
    let first = create().await.unwrap();
    assert_eq!(
        create().await.unwrap(),
        Created {
            record: first.record,
            replayed: true
        }
    );
}

#[tokio::test]
async fn another_body_is_refused_and_another_scope_is_another_key() {
    let fixture = Fixture::new();
    fixture
        .create_category(category("Fish"), request())
        .await
        .unwrap();
    let reused = fixture
        .create_category(category("Bird"), keyed(|it| it.body_hash = [2; 32]))
        .await;
    assert_eq!(refusal(reused), RuleViolation::IdempotencyKeyReused);

    let scopes = [
        keyed(|it| it.caller = "8".to_owned()),
        keyed(|it| it.operation = "createPet"),
        keyed(|it| it.key = "Key".to_owned()),
        None,
    ];
    for (index, scope) in scopes.into_iter().enumerate() {
        let created = fixture
            .create_category(category(&format!("{index}")), scope)
            .await
            .unwrap();
        assert!(!created.replayed, "scope {index}");
    }
}

#[tokio::test]
async fn only_a_success_is_stored() {
    let fixture = Fixture::new();
    fixture
        .create_category(category("Fish"), None)
        .await
        .unwrap();
    let refused = fixture.create_category(category("FISH"), request()).await;
    assert_eq!(refusal(refused), RuleViolation::CategoryExists { id: 1 });
    fixture.delete_category(1).await.unwrap();
    let retried = fixture
        .create_category(category("FISH"), request())
        .await
        .unwrap();
    assert!(!retried.replayed, "the refusal was not kept");
}

#[tokio::test]
async fn an_answer_is_kept_for_a_day_to_the_millisecond() {
    let fixture = Fixture::new();
    let pet_id = fixture.pet_with_stock(5).await;
    let at = |now| fixture.place_order(order(pet_id, 1), keyed(|it| it.now = now));
    let first = at(noon()).await.unwrap().record;
    let expiry = noon() + REPLAY_PERIOD;

    let last = at(expiry - TimeDelta::milliseconds(1)).await.unwrap();
    assert_eq!((last.record, last.replayed), (first.clone(), true));
    let anew = at(expiry).await.unwrap();
    assert!(!anew.replayed);
    assert_ne!(anew.record.id, first.id);

    let renewed = at(expiry + REPLAY_PERIOD - TimeDelta::milliseconds(1))
        .await
        .unwrap();
    assert_eq!(
        (renewed.record, renewed.replayed),
        (anew.record, true),
        "the day starts again"
    );
}

#[tokio::test]
async fn expired_answers_are_pruned() {
    let fixture = Fixture::new();
    let create = |index: i64, now| {
        fixture.create_category(
            category(&format!("{index}")),
            keyed(move |it| {
                it.key = index.to_string();
                it.now = now;
            }),
        )
    };
    for index in 0..20 {
        create(index, noon()).await.unwrap();
    }
    assert_eq!(stored_keys(&fixture), 20);
    for index in 20..30 {
        create(index, noon() + REPLAY_PERIOD).await.unwrap();
    }
    assert_eq!(
        stored_keys(&fixture),
        10,
        "the twenty of the day before are gone"
    );
}

fn stored_keys(fixture: &Fixture) -> i64 {
    let db = rusqlite::Connection::open(fixture.directory.path().join("pets.db")).unwrap();
    db.query_row("SELECT count(*) FROM idempotency_keys", [], |row| {
        row.get(0)
    })
    .unwrap()
}

#[tokio::test]
async fn duplicates_in_flight_wait_for_the_first() {
    let fixture = Fixture::new();
    let pet_id = fixture.pet_with_stock(100).await;
    let before = fixture.writer_stats();
    // Joined on one thread, all are queued before the first is awaited; most share a batch.
    let place = || fixture.place_order(order(pet_id, 1), request());
    let placed = futures::future::join_all((0..32).map(|_| place())).await;
    let placed: Vec<_> = placed.into_iter().map(Result::unwrap).collect();

    assert_eq!(placed.iter().filter(|created| !created.replayed).count(), 1);
    assert!(
        placed
            .iter()
            .all(|created| created.record == placed[0].record)
    );
    assert_eq!(
        fixture
            .orders(Default::default(), ALL)
            .await
            .unwrap()
            .items
            .len(),
        1
    );
    assert_eq!(fixture.inventory_item(pet_id).await.unwrap().quantity, 99);
    let commits = fixture.writer_stats().commits - before.commits;
    assert!(
        commits < 32,
        "some of the duplicates met in one batch, {commits} commits"
    );
}
