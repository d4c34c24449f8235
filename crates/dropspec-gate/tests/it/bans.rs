//! Bans in the database. Their rules are tested beside the limiter.

use dropspec_gate::auth::ApiKey;
use dropspec_gate::rate_limit::{Outcome, Window};

use super::fixture::{Fixture, NOON};

/// Sends until the key is banned, and returns when the ban ends.
async fn send_until_banned(fixture: &Fixture, key: &ApiKey, now: i64) -> i64 {
    loop {
        let decision = fixture.send(key, 1, now).await;
        match decision.outcome {
            Outcome::Admitted | Outcome::RateLimited(Window::Minute) => {}
            Outcome::Banned => return decision.rate_limit.reset,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn ban_and_strikes_survive_crash_and_restart() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    let end = NOON + 120;
    assert_eq!(send_until_banned(&fixture, &key, NOON).await, end);
    let fixture = fixture.crash().await;
    let decision = fixture.send(&key, 1, NOON + 60).await;
    assert_eq!(decision.outcome, Outcome::Banned);
    assert_eq!(decision.rate_limit.reset, end);
    let fixture = fixture.restart().await;
    let decision = fixture.send(&key, 1, end - 1).await;
    assert_eq!(decision.outcome, Outcome::Banned);
    assert!(fixture.send(&key, 1, end).await.is_admitted());
    let fixture = fixture.restart().await;
    assert_eq!(send_until_banned(&fixture, &key, end).await, end + 240);
}
