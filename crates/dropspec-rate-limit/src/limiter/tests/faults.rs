//! A ledger that fails or does not answer.

use super::*;

#[tokio::test(start_paused = true)]
async fn request_waits_for_a_hanging_ledger_once_and_no_longer_than_the_timeout() {
    for (limiter, expected) in [
        (limiter as fn(&_) -> _, Outcome::Unavailable),
        (admitting_limiter, Outcome::AdmittedWithoutLease),
    ] {
        let ledger = TestLedger::new();
        let limiter = limiter(&ledger);
        ledger.hang(true);
        let started = tokio::time::Instant::now();
        let key = account(1);
        let waiting: Vec<_> = (0..20)
            .map(|_| limiter.charge_key(&key, 1, at(NOON)))
            .collect();
        for decision in join_all(waiting).await {
            assert_eq!(decision.outcome, expected);
            assert!(decision.fault.is_some(), "for the log");
        }
        assert_eq!(started.elapsed(), limiter.shared.policy.ledger_timeout);
        assert!(limiter.ledger_fails());
        for now in NOON..NOON + 20 {
            assert_eq!(charge_at_once(&limiter, &key, now).outcome, expected);
        }
        let stats = limiter.stats();
        assert_eq!((stats.lease_calls, stats.lease_waits), (1, 20));

        ledger.hang(false);
        run_pending_tasks().await;
        assert!(!limiter.ledger_fails());
        let decision = limiter.charge_key(&key, 1, at(NOON + 20)).await;
        assert_eq!(decision.outcome, Outcome::Admitted);
    }
}

#[tokio::test]
async fn failing_ledger_is_called_once_a_second_for_a_key() {
    for (limiter, expected) in [
        (limiter as fn(&_) -> _, Outcome::Unavailable),
        (admitting_limiter, Outcome::AdmittedWithoutLease),
    ] {
        let ledger = TestLedger::new();
        let limiter = limiter(&ledger);
        let key = account(1);
        limiter.status(&key, at(NOON)).await.unwrap();
        let loaded = limiter.charge_key(&key, 0, at(NOON)).await;
        assert!(loaded.is_admitted());
        ledger.fail(true);
        for now in NOON..NOON + 5 {
            for _ in 0..6 {
                assert_eq!(limiter.charge_key(&key, 1, at(now)).await.outcome, expected);
                run_pending_tasks().await;
            }
        }
        assert_eq!(ledger.calls(), 5);
        assert!(limiter.ledger_fails());
    }
}

#[tokio::test]
async fn requests_admitted_without_lease_stay_within_the_limit_and_are_claimed_later() {
    let ledger = TestLedger::new();
    let limiter = admitting_limiter(&ledger);
    let key = account(1);
    // One of the six that are leased; then the disk is full.
    limiter.charge_key(&key, 1, at(NOON)).await;
    ledger.fail(true);
    for remaining in (0..59).rev() {
        let decision = limiter.charge_key(&key, 1, at(NOON)).await;
        assert!(decision.is_admitted(), "{remaining}: {decision:?}");
        assert_eq!(decision.rate_limit.remaining, remaining);
    }
    let exceeded = charge_at_once(&limiter, &key, NOON + 1);
    assert_eq!(exceeded.outcome, Outcome::RateLimited(Window::Minute));
    run_pending_tasks().await;
    assert_eq!(ledger.claimed(1, Window::Minute), 6);

    ledger.fail(false);
    charge_at_once(&limiter, &key, NOON + 2);
    run_pending_tasks().await;
    assert_eq!(ledger.claimed(1, Window::Minute), 60);
    assert_eq!(ledger.claimed(1, Window::Day), 60 + 100);
    // As after a crash.
    drop(limiter);
    let limiter = self::limiter(&ledger);
    let decision = limiter.charge_key(&key, 1, at(NOON + 2)).await;
    assert_eq!(decision.outcome, Outcome::RateLimited(Window::Minute));
}

#[tokio::test]
async fn key_that_cannot_be_loaded_is_admitted_and_gets_its_usage_with_the_first_lease() {
    let ledger = TestLedger::new();
    let key = account(1);
    let before = limiter(&ledger);
    for _ in 0..50 {
        before.charge_key(&key, 1, at(NOON)).await;
    }
    before.close().await.unwrap();

    let limiter = admitting_limiter(&ledger);
    ledger.fail(true);
    let decision = limiter.charge_key(&key, 1, at(NOON)).await;
    assert_eq!(decision.outcome, Outcome::AdmittedWithoutLease);
    assert!(decision.fault.is_some());
    run_pending_tasks().await;
    ledger.fail(false);
    charge_at_once(&limiter, &key, NOON + 1);
    run_pending_tasks().await;
    let decision = charge_at_once(&limiter, &key, NOON + 1);
    assert_eq!(decision.outcome, Outcome::Admitted);
    // Whether the last server crashed could not be read either, so its credit counts as lost.
    assert_eq!(decision.rate_limit.remaining, 60 - 50 - 3 - 6);
}

#[tokio::test(start_paused = true)]
async fn ban_is_answered_in_time_and_stored_when_the_ledger_works_again() {
    let ledger = TestLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    while limiter.charge_key(&key, 1, at(NOON)).await.is_admitted() {}
    for _ in 0..59 {
        limiter.charge_key(&key, 1, at(NOON)).await;
    }
    run_pending_tasks().await;
    ledger.hang(true);
    let started = tokio::time::Instant::now();
    let triggering = limiter.charge_key(&key, 1, at(NOON)).await;
    assert_eq!(triggering.outcome, Outcome::Banned);
    assert!(triggering.fault.is_some(), "for the log");
    assert_eq!(started.elapsed(), limiter.shared.policy.ledger_timeout);
    ledger.hang(false);
    run_pending_tasks().await;
    assert_eq!(ledger.entry(1).ban.strikes, 1);
}

#[tokio::test]
async fn stored_ban_that_cannot_be_read_at_a_clock_step_is_read_with_the_next_sweep() {
    for requested_meanwhile in [false, true] {
        let ledger = TestLedger::new();
        let mut ban = Ban::default();
        ban.start(NOON);
        ledger.entries.record_ban(1, ban).await.unwrap();
        let limiter = limiter(&ledger);
        let (banned, other) = (account(1), account(2));
        limiter.charge_key(&other, 1, at(NOON)).await;
        let stepped = |passed: i64| {
            let mut time = at(NOON + passed - 86_400);
            (time.steps, time.stepped) = (1, TimeDelta::days(-1));
            time
        };
        ledger.fail(true);
        limiter.charge_key(&other, 1, stepped(10)).await;
        run_pending_tasks().await;
        ledger.fail(false);
        if requested_meanwhile {
            let early = limiter.charge_key(&banned, 1, stepped(20)).await;
            assert_eq!(early.rate_limit.retry_after, Some(100));
        }
        // This one starts the sweep, which reads and stores the ban.
        limiter.charge_key(&other, 1, stepped(75)).await;
        run_pending_tasks().await;
        let stored = ledger.entry(1).ban;
        assert_eq!(stored.until, Some(NOON + 120 - 86_400));
        let late = limiter.charge_key(&banned, 1, stepped(80)).await;
        assert_eq!(late.rate_limit.retry_after, Some(40));
        let after = limiter.charge_key(&banned, 1, stepped(120)).await;
        assert!(after.is_admitted());
    }
}
