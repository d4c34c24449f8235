//! Changes of an API key, as authentication sees them. The requests are tested end to end.

use dropspec_gate::auth::Unauthenticated;

use super::fixture::{Fixture, NOON, key_plan, new_key, time};

#[tokio::test]
async fn second_rotation_extends_no_secret() {
    let fixture = Fixture::new();
    let first = fixture.free_key().await;
    let id = fixture.account(&first).key_id;
    let (second, third) = (
        fixture.keys.generate_secret().unwrap(),
        fixture.keys.generate_secret().unwrap(),
    );
    let fourth = fixture.keys.generate_secret().unwrap();
    let rotate = async |secret, end| {
        let rotated = fixture.keys.rotate(id, secret, time(end), time(NOON));
        rotated.await.unwrap();
    };
    rotate(&second, NOON + 60).await;
    rotate(&third, NOON + 900).await;
    assert_eq!(
        fixture.rejection(&first, NOON + 60),
        Some(Unauthenticated::Replaced)
    );
    assert_eq!(fixture.rejection(&second, NOON + 60), None);
    rotate(&fourth, NOON).await;
    for ended in [&second, &third] {
        // The clock may go back afterwards.
        assert_eq!(
            fixture.rejection(ended, NOON - 3600),
            Some(Unauthenticated::Replaced)
        );
    }
}

#[tokio::test]
async fn first_key_is_created_only_in_a_database_without_keys() {
    let fixture = Fixture::new();
    let new = || new_key(key_plan("pro"));
    let issued = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    let issued = issued.expect("the database has no key");
    assert_eq!(fixture.account(&issued.key).key_id, issued.id);
    let second = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    assert!(second.is_none());

    fixture.keys.revoke(issued.id, time(NOON)).await.unwrap();
    let third = fixture.keys.create_first(new(), time(NOON)).await.unwrap();
    assert!(third.is_none(), "a revoked key is a key");
}
