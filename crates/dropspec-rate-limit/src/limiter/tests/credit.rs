//! Requests on credit, and what crashes cost.

use super::*;

/// A limiter that gives credit: a key was admitted before.
async fn crediting_limiter(ledger: &Arc<TestLedger>) -> Limiter<TestLedger> {
    let limiter = limiter(ledger);
    limiter.charge_key(&account(0), 1, at(NOON)).await;
    run_pending_tasks().await;
    limiter
}

#[tokio::test]
async fn requests_on_credit_need_no_ledger_call_and_are_claimed_when_the_key_leaves_memory() {
    let ledger = TestLedger::new();
    let limiter = crediting_limiter(&ledger).await;
    let calls = ledger.calls();
    for key_id in 1..100 {
        for minute in 0..3 {
            let decision = charge_at_once(&limiter, &account(key_id), NOON + minute * 60);
            assert_eq!(decision.outcome, Outcome::Admitted);
        }
    }
    assert_eq!(limiter.stats().lease_calls, 1);
    assert_eq!((ledger.calls(), ledger.claimed(1, Window::Day)), (calls, 0));
    for now in (NOON + 180..NOON + 800).step_by(10) {
        limiter.charge_key(&account(0), 0, at(now)).await;
        run_pending_tasks().await;
    }
    assert_eq!(limiter.keys_in_memory(), 1);
    for key_id in 1..100 {
        assert_eq!(ledger.claimed(key_id, Window::Day), 3);
        let status = limiter
            .status(&account(key_id), at(NOON + 800))
            .await
            .unwrap();
        assert_eq!((status.minute.remaining, status.day.remaining), (60, 997));
    }
}

#[tokio::test]
async fn credit_is_followed_by_a_lease_before_it_is_spent() {
    let ledger = TestLedger::new();
    let limiter = crediting_limiter(&ledger).await;
    for minute in 0..10 {
        for _ in 0..60 {
            charge_at_once(&limiter, &account(1), NOON + minute * 60);
            run_pending_tasks().await;
        }
    }
    assert_eq!(limiter.stats().lease_waits, 1, "that of the first key");
    let status = limiter.status(&account(1), at(NOON + 540)).await.unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (0, 400));
}

#[tokio::test]
async fn crash_costs_each_key_its_credit_and_after_three_there_is_none() {
    let ledger = TestLedger::new();
    let mut unused = Vec::new();
    for _ in 0..6 {
        let limiter = crediting_limiter(&ledger).await;
        let status = limiter.status(&account(1), at(NOON)).await.unwrap();
        unused.push((status.minute.remaining, status.day.remaining));
        // A crash: nothing is returned.
        drop(limiter);
    }
    let expected = [
        (60, 1000),
        (54, 980),
        (48, 960),
        (42, 940),
        (42, 940),
        (42, 940),
    ];
    assert_eq!(unused, expected);
    let limiter = crediting_limiter(&ledger).await;
    let key = account(1);
    let mut first = Box::pin(limiter.charge_key(&key, 1, at(NOON)));
    assert!(
        (&mut first).now_or_never().is_none(),
        "it waits for a lease"
    );
    assert!(first.await.is_admitted());
    let tomorrow = NOON + 86_400;
    let next_day = charge_at_once(&limiter, &account(2), tomorrow).rate_limit;
    assert_eq!((next_day.limit, next_day.remaining), (60, 59));
    limiter.close().await.unwrap();
    let limiter = self::limiter(&ledger);
    let status = limiter.status(&account(3), at(tomorrow)).await.unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (60, 1000));
}

#[tokio::test]
async fn stop_that_cannot_claim_requests_on_credit_counts_as_a_crash() {
    let ledger = TestLedger::new();
    let limiter = crediting_limiter(&ledger).await;
    charge_at_once(&limiter, &account(1), NOON);
    ledger.fail(true);
    assert!(limiter.close().await.is_err());
    ledger.fail(false);
    let limiter = self::limiter(&ledger);
    let status = limiter.status(&account(1), at(NOON)).await.unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (54, 980));
}

#[tokio::test]
async fn no_credit_is_given_before_the_ledger_has_stored_it() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    ledger.hang(true);
    for key_id in 0..10 {
        let key = account(key_id);
        let first = limiter.charge_key(&key, 1, at(NOON)).now_or_never();
        assert!(first.is_none(), "it waits for a lease");
        run_pending_tasks().await;
    }
    ledger.hang(false);
    run_pending_tasks().await;
    charge_at_once(&limiter, &account(10), NOON);
    assert!(ledger.credit.lock().is_open);
}

#[tokio::test(start_paused = true)]
async fn stop_without_time_for_all_keys_counts_as_a_crash() {
    let ledger = TestLedger::new();
    let limiter = crediting_limiter(&ledger).await;
    for key_id in 1..5000 {
        charge_at_once(&limiter, &account(key_id), NOON);
    }
    ledger.hang(true);
    let mut stop = Box::pin(limiter.close());
    assert!((&mut stop).now_or_never().is_none());
    tokio::time::advance(std::time::Duration::from_secs(5)).await;
    ledger.hang(false);
    assert!(stop.await.is_err());
    assert!(ledger.claimed(1, Window::Day) > 0 && ledger.claimed(4999, Window::Day) == 0);
    let limiter = self::limiter(&ledger);
    let status = limiter.status(&account(4999), at(NOON)).await.unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (54, 980));
}
