//! However many requests come at once, exactly as many are admitted as the limit says.

use std::sync::Arc;

use futures::future::join_all;
use spec_gate::auth::ApiKey;
use spec_gate::rate_limit::{Outcome, Window};

use super::fixture::{DAY, Fixture, NOON};

const REQUESTS: usize = 10_000;

/// Sends all requests in tasks of their own, and returns what became of each.
async fn storm(fixture: &Fixture, key: &ApiKey, now: i64) -> Vec<Outcome> {
    let account = fixture.account(key);
    let requests = (0..REQUESTS).map(|_| {
        let limiter = Arc::clone(&fixture.limiter);
        tokio::spawn(async move { limiter.charge_key(&account, 1, now).await.outcome })
    });
    join_all(requests)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

fn admitted(outcomes: &[Outcome]) -> usize {
    outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Admitted)
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_requests_are_admitted_up_to_the_minute_limit() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    for minute in 0..2 {
        let outcomes = storm(&fixture, &key, NOON + 60 * minute).await;
        assert_eq!(admitted(&outcomes), 60, "minute {minute}");
        let refused = outcomes
            .iter()
            .filter(|o| **o == Outcome::RateLimited(Window::Minute));
        assert_eq!(refused.count(), REQUESTS - 60, "minute {minute}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_requests_are_admitted_up_to_the_day_limit() {
    let fixture = Fixture::without_bans();
    let key = fixture.enterprise_key(60, 100).await;
    assert_eq!(admitted(&storm(&fixture, &key, NOON).await), 60);
    let outcomes = storm(&fixture, &key, NOON + 60).await;
    assert_eq!(admitted(&outcomes), 40);
    assert!(outcomes.contains(&Outcome::RateLimited(Window::Day)));
    assert_eq!(admitted(&storm(&fixture, &key, NOON + 120).await), 0);
    assert_eq!(
        admitted(&storm(&fixture, &key, NOON + DAY).await),
        60,
        "the next day"
    );
}
