//! Bans as they are stored, survive, and are lifted. Their arithmetic is tested beside it.

use spec_gate::auth::ApiKey;
use spec_gate::rate_limit::{Outcome, Window};

use super::fixture::{DAY, Fixture, NOON};

/// Uses the minute up, and sends on until the key is banned; returns the refusals that took, and when the ban ends.
async fn provoke(fixture: &Fixture, key: &ApiKey, now: i64) -> (u64, i64) {
    while fixture.send(key, 1, now).await.is_admitted() {}
    let mut refusals = 1;
    loop {
        let decision = fixture.send(key, 1, now).await;
        refusals += 1;
        match decision.outcome {
            Outcome::RateLimited(Window::Minute) => {}
            Outcome::Banned => return (refusals, decision.rate_limit.reset),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn bans_key_at_the_first_refusal_above_the_threshold() {
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
async fn each_ban_doubles_and_one_strike_expires_per_day() {
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
async fn ban_and_strikes_survive_crash_and_restart() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    provoke(&fixture, &key, NOON).await;
    let fixture = fixture.crash().await;
    let decision = fixture.send(&key, 1, NOON + 60).await;
    assert_eq!(
        (decision.outcome, decision.rate_limit.reset),
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
async fn unban_ends_ban_and_removes_strikes_while_limiter_runs() {
    let fixture = Fixture::new();
    let key = fixture.enterprise_key(10, 1000).await;
    let id = fixture.account(&key).key_id;
    provoke(&fixture, &key, NOON).await;
    provoke(&fixture, &key, NOON + 120).await;
    fixture.keys.unban(id).await.unwrap();
    let decision = fixture.send(&key, 1, NOON + 180).await;
    assert!(decision.is_admitted());
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
async fn request_of_cost_0_is_admitted_while_banned() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    provoke(&fixture, &key, NOON).await;
    let decision = fixture.send(&key, 0, NOON + 1).await;
    assert!(decision.is_admitted());
    let info = decision.rate_limit;
    assert_eq!(
        (info.limit, info.remaining, info.reset),
        (60, 0, NOON + 120)
    );
    assert_eq!(info.retry_after, None);
    let status = fixture
        .limiter
        .status(&fixture.account(&key), NOON + 1)
        .unwrap();
    assert_eq!((status.strikes, status.banned_until), (1, Some(NOON + 120)));
}
