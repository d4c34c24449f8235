//! Changes of an API key, as authentication sees them. The requests are tested end to end.

use spec_gate::auth::Unauthenticated;
use spec_gate::keys::KeyError;

use super::fixture::{Fixture, NOON, new_key, plan_limits, time};

#[tokio::test]
async fn revoked_key_is_rejected_from_the_next_request_on() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let id = fixture.account(&key).key_id;
    // The operator's clock may be ahead of ours.
    fixture.keys.revoke(id, time(NOON + 100)).await.unwrap();
    assert_eq!(
        fixture.rejection(&key, NOON),
        Some(Unauthenticated::Revoked)
    );
    let again = fixture.keys.revoke(id, time(NOON)).await;
    assert!(matches!(again, Err(KeyError::Revoked(_))));
}

#[tokio::test]
async fn second_rotation_extends_no_secret() {
    let fixture = Fixture::new();
    let first = fixture.free_key().await;
    let id = fixture.account(&first).key_id;
    let (second, third) = (
        fixture.keys.generate_secret().unwrap(),
        fixture.keys.generate_secret().unwrap(),
    );
    fixture
        .keys
        .rotate(id, &second, time(NOON + 60), time(NOON))
        .await
        .unwrap();
    fixture
        .keys
        .rotate(id, &third, time(NOON + 900), time(NOON))
        .await
        .unwrap();
    assert_eq!(
        fixture.rejection(&first, NOON + 60),
        Some(Unauthenticated::Replaced)
    );
    assert_eq!(fixture.rejection(&second, NOON + 60), None);
    fixture
        .keys
        .rotate(
            id,
            &fixture.keys.generate_secret().unwrap(),
            time(NOON),
            time(NOON),
        )
        .await
        .unwrap();
    for ended in [&second, &third] {
        // The clock may go back afterwards.
        assert_eq!(
            fixture.rejection(ended, NOON - 3600),
            Some(Unauthenticated::Replaced)
        );
    }
}

#[tokio::test]
async fn changed_plan_applies_from_the_next_request_on() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let id = fixture.account(&key).key_id;
    assert_eq!(fixture.admitted_of(70, &key, NOON).await, 60);
    let pro = plan_limits("pro");
    fixture.keys.set_limits(id, pro, time(NOON)).await.unwrap();
    let decision = fixture.send(&key, 1, NOON).await;
    assert_eq!(
        (decision.rate_limit.limit, decision.rate_limit.remaining),
        (300, 239)
    );
    let free = plan_limits("free");
    fixture.keys.set_limits(id, free, time(NOON)).await.unwrap();
    assert_eq!(
        fixture.send(&key, 1, NOON).await.rate_limit.remaining,
        0,
        "61 were used of 60"
    );
}

#[tokio::test]
async fn first_key_is_created_only_in_a_database_without_keys() {
    let fixture = Fixture::new();
    let new = || new_key(plan_limits("pro"));
    let issued = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    let issued = issued.expect("the database has no key");
    assert_eq!(fixture.account(&issued.key).key_id, issued.id);
    let second = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    assert!(second.is_none());

    fixture.keys.revoke(issued.id, time(NOON)).await.unwrap();
    let third = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    assert!(third.is_none(), "a revoked key is a key");
}
