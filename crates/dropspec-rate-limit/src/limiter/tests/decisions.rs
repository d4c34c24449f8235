//! Decisions, leases and keys in memory while the ledger works.

use super::*;

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
async fn key_that_sends_while_its_leases_are_returned_stays_with_its_refused_requests() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    let (idle, other) = (account(1), account(2));
    limiter.charge_key(&idle, 1, at(NOON)).await;
    let later = NOON + 1000;
    ledger.hang(true);
    // It starts the sweep.
    limiter.charge_key(&other, 0, at(later)).now_or_never();
    run_pending_tasks().await;
    for _ in 0..60 {
        assert!(charge(&limiter, &idle, 0, later).is_admitted());
    }
    ledger.hang(false);
    run_pending_tasks().await;
    let refused = charge(&limiter, &idle, 0, later);
    assert_eq!(refused.outcome, Outcome::FreeRateLimited);
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

#[tokio::test]
async fn what_a_request_waits_for_is_given_back_only_after_its_decision() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    // Too small for credit.
    let key = Account {
        limits: RateLimits::new(10, 100),
        ..account(1)
    };
    ledger.hang(true);
    let mut waiting = std::pin::pin!(limiter.charge_key(&key, 1, at(NOON)));
    assert!(waiting.as_mut().now_or_never().is_none());
    run_pending_tasks().await;
    let shared = &limiter.shared;
    shared.give_back(&mut shared.lock(), 1, Window::Minute);
    ledger.hang(false);
    run_pending_tasks().await;
    assert_eq!(limiter.stats().given_back, 0);
    assert!(waiting.await.is_admitted());
    run_pending_tasks().await;
    assert_eq!(limiter.stats().given_back, 1);
    assert_eq!(ledger.claimed(1, Window::Minute), 1);
}
