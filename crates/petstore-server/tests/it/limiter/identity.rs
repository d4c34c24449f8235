//! Who a request comes from, by the key that it shows.

use chrono::TimeDelta;
use petstore_api::Plan;
use petstore_server::auth::{ApiKey, Identity, Terms, Unidentified, identify};
use petstore_server::store::KeyError;

use super::fixture::{Fixture, NOON, time};

/// The values of the `X-API-Key` headers of a request.
type Shown<'a> = &'a [&'a [u8]];

fn refusal(identity: Identity) -> Option<Unidentified> {
    match identity {
        Identity::Key(_) => None,
        Identity::Anonymous(reason) => Some(reason),
    }
}

#[tokio::test]
async fn a_request_without_a_valid_key_is_told_why() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let valid = key.expose().to_owned();
    let unknown = ApiKey::generate().unwrap().expose().to_owned();
    let typo = valid.replace(
        &valid[10..11],
        if &valid[10..11] == "a" { "b" } else { "a" },
    );
    let cases: [(Shown, Option<Unidentified>, &str); 8] = [
        (&[], Some(Unidentified::Missing), "no header"),
        (&[b""], Some(Unidentified::Invalid), "an empty one"),
        (&[valid.as_bytes()], None, "a valid key"),
        (&[typo.as_bytes()], Some(Unidentified::Invalid), "a typo"),
        (
            &[unknown.as_bytes()],
            Some(Unidentified::Invalid),
            "well-formed, but not ours",
        ),
        (
            &["pst_ü".as_bytes()],
            Some(Unidentified::Invalid),
            "not ASCII",
        ),
        (
            &[b"\xff\xfe"],
            Some(Unidentified::Invalid),
            "not even UTF-8",
        ),
        (
            &[valid.as_bytes(), valid.as_bytes()],
            Some(Unidentified::Invalid),
            "two headers",
        ),
    ];
    for (shown, expected, reason) in cases {
        let identity = identify(&fixture.store, shown.iter().copied(), time(NOON)).unwrap();
        assert_eq!(refusal(identity), expected, "{reason}");
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_the_next_request_on() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let id = fixture.account(&key).key_id;
    // The operator's clock may be ahead of ours.
    fixture
        .store
        .revoke_key(id, time(NOON + 100))
        .await
        .unwrap();
    assert_eq!(
        refusal(fixture.identify(&key, NOON)),
        Some(Unidentified::Revoked)
    );
    let again = fixture.store.revoke_key(id, time(NOON)).await;
    assert!(matches!(again, Err(KeyError::Revoked { .. })));
}

#[tokio::test]
async fn old_and_new_secret_are_one_key_while_they_overlap() {
    let fixture = Fixture::new();
    let old = fixture.free_key().await;
    let id = fixture.account(&old).key_id;
    let new = ApiKey::generate().unwrap();
    let end = time(NOON) + TimeDelta::hours(24);
    fixture
        .store
        .rotate_key(id, &new, end, time(NOON))
        .await
        .unwrap();

    assert_eq!(fixture.account(&old), fixture.account(&new));
    fixture.send(&old, 1, NOON).await;
    let verdict = fixture.send(&new, 1, NOON).await;
    assert_eq!(verdict.standing.remaining, 58, "they share what was used");

    assert_eq!(refusal(fixture.identify(&old, end.timestamp() - 1)), None);
    assert_eq!(
        refusal(fixture.identify(&old, end.timestamp())),
        Some(Unidentified::Revoked)
    );
    assert_eq!(refusal(fixture.identify(&new, end.timestamp())), None);
}

#[tokio::test]
async fn a_second_rotation_lets_no_secret_live_longer() {
    let fixture = Fixture::new();
    let first = fixture.free_key().await;
    let id = fixture.account(&first).key_id;
    let (second, third) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
    fixture
        .store
        .rotate_key(id, &second, time(NOON + 60), time(NOON))
        .await
        .unwrap();
    fixture
        .store
        .rotate_key(id, &third, time(NOON + 900), time(NOON))
        .await
        .unwrap();
    assert_eq!(
        refusal(fixture.identify(&first, NOON + 60)),
        Some(Unidentified::Revoked)
    );
    assert_eq!(refusal(fixture.identify(&second, NOON + 60)), None);
    fixture
        .store
        .rotate_key(id, &ApiKey::generate().unwrap(), time(NOON), time(NOON))
        .await
        .unwrap();
    for ended in [&second, &third] {
        assert_eq!(
            refusal(fixture.identify(ended, NOON)),
            Some(Unidentified::Revoked)
        );
    }
}

#[tokio::test]
async fn another_plan_holds_from_the_next_request_on() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let id = fixture.account(&key).key_id;
    assert_eq!(fixture.admitted_of(70, &key, NOON).await, 60);
    let pro = Terms::new(Plan::Pro, None).unwrap();
    fixture.store.set_key_terms(id, pro).await.unwrap();
    let verdict = fixture.send(&key, 1, NOON).await;
    assert_eq!(
        (verdict.standing.limit, verdict.standing.remaining),
        (300, 239)
    );
    let free = Terms::new(Plan::Free, None).unwrap();
    fixture.store.set_key_terms(id, free).await.unwrap();
    assert_eq!(
        fixture.send(&key, 1, NOON).await.standing.remaining,
        0,
        "61 were used of 60"
    );
}
