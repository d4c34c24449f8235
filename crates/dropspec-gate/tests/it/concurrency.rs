//! Concurrent requests of one key: as many are admitted as the limit allows.

use std::sync::Arc;

use dropspec_gate::auth::ApiKey;
use dropspec_gate::rate_limit::{Outcome, Window};
use futures::future::join_all;

use super::fixture::{Fixture, NOON, at};

const REQUESTS: usize = 10_000;

/// Sends all requests at once. Returns what remained after each admitted one, in order, and the outcomes of the others.
async fn send_all(fixture: &Fixture, key: &ApiKey, now: i64) -> (Vec<u64>, Vec<Outcome>) {
    let account = fixture.account(key);
    let requests = (0..REQUESTS).map(|_| {
        let limiter = Arc::clone(&fixture.limiter);
        tokio::spawn(async move { limiter.charge_key(&account, 1, at(now)).await })
    });
    let decisions = join_all(requests).await.into_iter().map(Result::unwrap);
    let (admitted, rejected): (Vec<_>, Vec<_>) = decisions.partition(|it| it.is_admitted());
    let mut remaining: Vec<_> = admitted.iter().map(|it| it.rate_limit.remaining).collect();
    remaining.sort_unstable();
    (remaining, rejected.iter().map(|it| it.outcome).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_10000_concurrent_requests_the_limit_is_admitted_each_minute_and_day() {
    let fixture = Fixture::without_bans();
    let key = fixture.enterprise_key(60, 100).await;
    for (now, first, last, window) in [
        (NOON, 0, 59, Window::Minute),
        (NOON + 60, 0, 39, Window::Day),
    ] {
        let (remaining, rejected) = send_all(&fixture, &key, now).await;
        assert_eq!(remaining, Vec::from_iter(first..=last));
        assert_eq!(rejected.len(), REQUESTS - remaining.len());
        let expected = Outcome::RateLimited(window);
        assert!(rejected.iter().all(|outcome| *outcome == expected));
    }
    let (remaining, _) = send_all(&fixture, &key, NOON + 120).await;
    assert!(remaining.is_empty(), "{remaining:?}");
}
