//! Decisions, leases and keys in memory while the ledger works.

use super::*;

#[tokio::test]
async fn lease_is_renewed_before_it_is_used_up() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    limiter.charge_key(&key, 1, at(NOON)).await;
    for spent in 1..60 {
        run_pending_tasks().await;
        let decision = limiter.charge_key(&key, 1, at(NOON)).now_or_never();
        assert!(
            decision.is_some_and(|decision| decision.is_admitted()),
            "after {spent}"
        );
        for (window, block) in [(Window::Minute, 6), (Window::Day, 100)] {
            let unspent = ledger.claimed(1, window) - (spent + 1);
            assert!(
                unspent <= block,
                "{unspent} of the {} are unspent",
                window.as_str()
            );
        }
    }
}

#[tokio::test]
async fn request_is_unavailable_if_key_cannot_be_loaded() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    ledger.fail(true);
    let decision = limiter.charge_key(&account(1), 1, at(NOON)).await;
    assert_eq!(decision.outcome, Outcome::Unavailable);
    assert!(limiter.status(&account(1), at(NOON)).await.is_err());
}

#[tokio::test]
async fn lower_limit_applies_at_once_and_excess_lease_is_returned() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    let rich = Account {
        limits: RateLimits {
            per_minute: 1000,
            per_day: 100_000,
        },
        ..account(1)
    };
    limiter.charge_key(&rich, 1, at(NOON)).await;
    assert_eq!(ledger.claimed(1, Window::Minute), 100);
    let poor = account(1);
    assert_eq!(
        limiter
            .charge_key(&poor, 1, at(NOON))
            .await
            .rate_limit
            .limit,
        60
    );
    run_pending_tasks().await;
    assert_eq!(ledger.claimed(1, Window::Minute), 2 + 6);
    assert_eq!(ledger.claimed(1, Window::Day), 2 + 100);
}

#[tokio::test]
async fn close_returns_unused_requests_and_stops_leasing() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    for _ in 0..3 {
        limiter.charge_key(&account(1), 1, at(NOON)).await;
    }
    limiter.close().await.unwrap();
    assert_eq!(ledger.claimed(1, Window::Minute), 3);
    assert_eq!(ledger.claimed(1, Window::Day), 3);
    let late = limiter.charge_key(&account(1), 1, at(NOON)).await;
    assert_eq!(late.outcome, Outcome::Unavailable);
    assert_eq!(ledger.claimed(1, Window::Minute), 3);
}

#[tokio::test]
async fn keys_beyond_the_maximum_leave_memory_oldest_first_with_their_usage() {
    let ledger = TestLedger::new();
    let policy = LimiterPolicy {
        max_keys: 200,
        ..LimiterPolicy::new(FREE)
    };
    let limiter = Limiter::new(Arc::clone(&ledger), policy);
    for key_id in 0..2000 {
        limiter.charge_key(&account(key_id), 1, at(NOON)).await;
        run_pending_tasks().await;
        assert!(limiter.keys_in_memory() <= 201);
    }
    let claimed = |key_id| ledger.claimed(key_id, Window::Day);
    assert_eq!(
        (1..1700).map(claimed).sum::<u64>(),
        1699,
        "the rest was given back"
    );
    let again = limiter.charge_key(&account(1), 1, at(NOON)).await;
    assert_eq!(
        again.rate_limit.remaining, 58,
        "its first request is not forgotten"
    );
}

#[tokio::test]
async fn time_never_goes_back_for_keys_and_addresses() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    limiter.charge_key(&account(1), 1, at(NOON + 60)).await;
    let decision = limiter.charge_key(&account(2), 1, at(NOON + 55)).await;
    assert_eq!(decision.rate_limit.reset, NOON + 90);
    let address = limiter.charge_address([192, 0, 2, 1].into(), 1, at(NOON));
    assert_eq!(address.rate_limit.reset, NOON + 90);
}
