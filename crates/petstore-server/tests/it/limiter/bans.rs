//! Bans as they are stored, survive, and are lifted. Their arithmetic is tested beside it.

use petstore_server::auth::ApiKey;
use petstore_server::rate_limit::{Outcome, Window};

use super::fixture::{DAY, Fixture, NOON};

/// Uses the minute up, and sends on until the key is banned; returns the refusals that took, and when the ban ends.
async fn provoke(fixture: &Fixture, key: &ApiKey, now: i64) -> (u64, i64) {
    while fixture.send(key, 1, now).await.is_admitted() {}
    let mut refusals = 1;
    loop {
        let verdict = fixture.send(key, 1, now).await;
        refusals += 1;
        match verdict.outcome {
            Outcome::RateLimited(Window::Minute) => {}
            Outcome::Banned => return (refusals, verdict.standing.reset),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn the_refusal_beyond_the_threshold_is_the_first_answered_as_banned() {
    let fixture = Fixture::new();
    let free = fixture.free_key().await;
    assert_eq!(provoke(&fixture, &free, NOON).await, (61, NOON + 120));
    let small = fixture.enterprise_key(10, 1000).await;
    assert_eq!(
        provoke(&fixture, &small, NOON).await.0,
        31,
        "30, where the limit is less"
    );
    let other = fixture.free_key().await;
    assert!(
        fixture.send(&other, 1, NOON).await.is_admitted(),
        "another key is not concerned"
    );
}

#[tokio::test]
async fn each_ban_doubles_and_a_day_without_one_forgives_a_strike() {
    let fixture = Fixture::new();
    let key = fixture.enterprise_key(10, 1_000_000).await;
    let mut now = NOON;
    for minutes in [2, 4, 8, 16] {
        let (_, end) = provoke(&fixture, &key, now).await;
        assert_eq!(end, now + minutes * 60);
        now = end;
    }
    let later = now + 2 * DAY;
    assert_eq!(
        provoke(&fixture, &key, later).await.1,
        later + 8 * 60,
        "two of four strikes faded"
    );
}

#[tokio::test]
async fn a_ban_survives_a_crash_and_a_restart() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    provoke(&fixture, &key, NOON).await;
    let fixture = fixture.crash().await;
    let verdict = fixture.send(&key, 1, NOON + 60).await;
    assert_eq!(
        (verdict.outcome, verdict.standing.reset),
        (Outcome::Banned, NOON + 120)
    );
    let fixture = fixture.restart().await;
    assert_eq!(
        fixture.send(&key, 1, NOON + 119).await.outcome,
        Outcome::Banned
    );
    assert!(fixture.send(&key, 1, NOON + 120).await.is_admitted());
    let fixture = fixture.restart().await;
    assert_eq!(
        provoke(&fixture, &key, NOON + 120).await.1,
        NOON + 120 + 240,
        "so do strikes"
    );
}

#[tokio::test]
async fn the_operator_lifts_a_ban_under_a_running_server() {
    let fixture = Fixture::new();
    let key = fixture.enterprise_key(10, 1000).await;
    let id = fixture.account(&key).key_id;
    provoke(&fixture, &key, NOON).await;
    provoke(&fixture, &key, NOON + 120).await;
    fixture.store.unban_key(id).await.unwrap();
    let verdict = fixture.send(&key, 1, NOON + 180).await;
    assert!(verdict.is_admitted());
    let status = fixture
        .limiter
        .status(&fixture.account(&key), NOON + 180)
        .unwrap();
    assert_eq!((status.strikes, status.banned_until), (0, None));
    assert_eq!(
        provoke(&fixture, &key, NOON + 180).await.1,
        NOON + 300,
        "strikes are forgiven"
    );
}

#[tokio::test]
async fn what_costs_nothing_is_answered_while_banned() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    provoke(&fixture, &key, NOON).await;
    let verdict = fixture.send(&key, 0, NOON + 1).await;
    assert!(verdict.is_admitted());
    let standing = verdict.standing;
    assert_eq!(
        (standing.limit, standing.remaining, standing.reset),
        (60, 0, NOON + 120)
    );
    assert_eq!(standing.retry_after, None);
    let status = fixture
        .limiter
        .status(&fixture.account(&key), NOON + 1)
        .unwrap();
    assert_eq!((status.strikes, status.banned_until), (1, Some(NOON + 120)));
}
