//! The limiter over a ledger in memory that can be made to wait and to fail.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;

use chrono::{DateTime, TimeDelta};
use futures::FutureExt;
use futures::future::join_all;
use spec_runtime::RateLimits;
use tokio::sync::Semaphore;

use super::shards::SHARDS;
use super::*;
use crate::rate_limit::{
    Adjusted, Adjustment, Ban, Claim, CreditRecord, LedgerEntry, Now, Outcome, WithoutLedger,
};

/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;
const FREE: RateLimits = RateLimits {
    per_minute: 60,
    per_day: 1000,
};

#[derive(Debug)]
struct MemoryLedger {
    claimed: Mutex<HashMap<(i64, Window), Claim>>,
    bans: Mutex<HashMap<i64, Ban>>,
    credit: Mutex<CreditRecord>,
    /// Each write takes one permit; there are plenty unless a test takes them away.
    permits: Semaphore,
    fails: AtomicBool,
    calls: AtomicI64,
}

impl MemoryLedger {
    fn new() -> Arc<MemoryLedger> {
        Arc::new(MemoryLedger {
            claimed: Mutex::default(),
            bans: Mutex::default(),
            credit: Mutex::default(),
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
            fails: AtomicBool::new(false),
            calls: AtomicI64::new(0),
        })
    }

    fn claimed(&self, key_id: i64, window: Window) -> u64 {
        self.claimed
            .lock()
            .unwrap()
            .get(&(key_id, window))
            .map_or(0, |claim| claim.claimed)
    }

    fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// Makes writes wait, or go on.
    fn hang(&self, hangs: bool) {
        self.permits.forget_permits(Semaphore::MAX_PERMITS);
        if !hangs {
            self.permits.add_permits(Semaphore::MAX_PERMITS);
        }
    }

    fn calls(&self) -> i64 {
        self.calls.load(Ordering::SeqCst)
    }

    fn outcome(&self) -> Result<(), StorageError> {
        if self.fails.load(Ordering::SeqCst) {
            Err(StorageError::unavailable("the disk is full"))
        } else {
            Ok(())
        }
    }
}

impl Ledger for MemoryLedger {
    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        self.outcome()?;
        let claimed = self.claimed.lock().unwrap();
        Ok(LedgerEntry {
            minute: claimed.get(&(key_id, Window::Minute)).copied(),
            day: claimed.get(&(key_id, Window::Day)).copied(),
            ban: self
                .bans
                .lock()
                .unwrap()
                .get(&key_id)
                .copied()
                .unwrap_or_default(),
        })
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        self.permits.acquire().await.unwrap().forget();
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.outcome()?;
        let mut claimed = self.claimed.lock().unwrap();
        let now = now();
        let adjusted = adjustments.iter().map(|adjustment| {
            let fresh = Claim {
                start: now.start_of(adjustment.window),
                claimed: 0,
            };
            let claim = claimed
                .entry((adjustment.key_id, adjustment.window))
                .or_insert(fresh);
            if !now.current(adjustment.window).contains(&claim.start) {
                *claim = fresh;
            }
            claim.start = fresh.start;
            let before = claim.claimed;
            claim.claimed = before
                .saturating_add_signed(adjustment.amount)
                .min(adjustment.limit);
            Adjusted::unshared(*claim, claim.claimed.saturating_sub(before))
        });
        Ok(adjusted.collect())
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        self.outcome()?;
        Ok(*self.credit.lock().unwrap())
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        self.permits.acquire().await.unwrap().forget();
        self.outcome()?;
        *self.credit.lock().unwrap() = record;
        Ok(())
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        self.outcome()?;
        let now = now();
        for ((_, window), claim) in self.claimed.lock().unwrap().iter_mut() {
            if now.current(*window).contains(&claim.start) {
                claim.start = now.start_of(*window);
            }
        }
        Ok(())
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        self.outcome()?;
        let bans = self.bans.lock().unwrap();
        let bans = bans.iter().filter(|(_, ban)| ban.until > Some(time));
        Ok(bans.map(|(key_id, _)| *key_id).collect())
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.permits.acquire().await.unwrap().forget();
        self.outcome()?;
        self.bans.lock().unwrap().insert(key_id, ban);
        Ok(())
    }
}

/// The time `seconds` (Unix) by a clock without steps.
fn at(seconds: i64) -> Time {
    Time::without_steps(DateTime::from_timestamp(seconds, 0).unwrap())
}

fn limiter(ledger: &Arc<MemoryLedger>) -> Limiter<MemoryLedger> {
    Limiter::new(Arc::clone(ledger), LimiterPolicy::new(FREE))
}

/// A limiter that admits requests without a lease.
fn admitting_limiter(ledger: &Arc<MemoryLedger>) -> Limiter<MemoryLedger> {
    let policy = LimiterPolicy {
        without_ledger: WithoutLedger::Admit,
        ..LimiterPolicy::new(FREE)
    };
    Limiter::new(Arc::clone(ledger), policy)
}

/// The decision on a request that must not wait.
fn charge_at_once(limiter: &Limiter<MemoryLedger>, key: &Account, now: i64) -> Decision {
    let decision = limiter.charge_key(key, 1, at(now)).now_or_never();
    decision.expect("the request waits")
}

fn account(key_id: i64) -> Account {
    Account {
        key_id,
        limits: FREE,
        ban: Ban::default(),
    }
}

/// Runs the limiter's tasks until all have finished.
async fn run_pending_tasks() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn concurrent_requests_wait_for_one_ledger_call() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    ledger.hang(true);
    let key = account(1);
    let mut waiting: Vec<_> = (0..6)
        .map(|_| Box::pin(limiter.charge_key(&key, 1, at(NOON))))
        .collect();
    for request in &mut waiting {
        assert!(request.now_or_never().is_none(), "nothing is leased yet");
    }
    run_pending_tasks().await;
    assert_eq!(limiter.stats().lease_calls, 1, "all wait for the same");
    ledger.hang(false);
    for decision in join_all(waiting).await {
        assert!(decision.is_admitted());
    }
}

#[tokio::test]
async fn lease_is_renewed_before_it_is_used_up() {
    let ledger = MemoryLedger::new();
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
async fn request_is_unavailable_with_last_known_numbers_if_ledger_fails() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    for _ in 0..6 {
        limiter.charge_key(&key, 1, at(NOON)).await;
        run_pending_tasks().await;
    }
    ledger.fail(true);
    let mut decisions = Vec::new();
    for _ in 0..20 {
        run_pending_tasks().await;
        decisions.push(limiter.charge_key(&key, 1, at(NOON)).await);
    }
    let refused = decisions
        .iter()
        .find(|decision| !decision.is_admitted())
        .unwrap();
    let admitted = decisions
        .iter()
        .filter(|decision| decision.is_admitted())
        .count() as u64;
    assert!(
        (9..=12).contains(&admitted),
        "no more than was leased, and the credit: {admitted}"
    );
    assert_eq!(refused.outcome, Outcome::Unavailable);
    assert_eq!(refused.rate_limit.remaining, 60 - 6 - admitted);
    assert!(refused.fault.is_some());

    ledger.fail(false);
    assert!(
        limiter
            .charge_key(&key, 1, at(NOON + 1))
            .await
            .is_admitted(),
        "it mends by itself"
    );
}

#[tokio::test]
async fn request_is_unavailable_if_key_cannot_be_loaded() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    ledger.fail(true);
    let decision = limiter.charge_key(&account(1), 1, at(NOON)).await;
    assert_eq!(decision.outcome, Outcome::Unavailable);
    assert!(limiter.status(&account(1), at(NOON)).await.is_err());
}

#[tokio::test]
async fn ban_holds_if_it_cannot_be_stored() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    while limiter.charge_key(&key, 1, at(NOON)).await.is_admitted() {}
    for _ in 0..59 {
        limiter.charge_key(&key, 1, at(NOON)).await;
    }
    ledger.fail(true);
    let triggering = limiter.charge_key(&key, 1, at(NOON)).await;
    assert_eq!(triggering.outcome, Outcome::Banned);
    assert!(triggering.fault.is_some(), "for the log");
    let next = limiter.charge_key(&key, 1, at(NOON + 119)).await;
    assert_eq!(
        (next.outcome, next.fault.is_some()),
        (Outcome::Banned, false)
    );
    assert_eq!(limiter.stats().bans, 1);
}

#[tokio::test]
async fn lower_limit_applies_at_once_and_excess_lease_is_returned() {
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
async fn idle_key_leaves_memory_and_returns_with_its_usage() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    let (idle, busy) = (account(1), account(2));
    limiter.charge_key(&idle, 1, at(NOON)).await;
    for now in (NOON..NOON + 700).step_by(10) {
        limiter.charge_key(&busy, 0, at(now)).await;
        run_pending_tasks().await;
    }
    assert_eq!(limiter.keys_in_memory(), 1);
    assert_eq!(ledger.claimed(1, Window::Day), 1, "the rest was given back");
    assert_eq!(
        limiter
            .status(&idle, at(NOON + 700))
            .await
            .unwrap()
            .day
            .remaining,
        999
    );
}

#[tokio::test]
async fn number_of_keys_in_memory_is_limited() {
    let ledger = MemoryLedger::new();
    let policy = LimiterPolicy {
        max_keys: 2 * SHARDS,
        max_light_keys: 0,
        ..LimiterPolicy::new(FREE)
    };
    let limiter = Limiter::new(Arc::clone(&ledger), policy);
    for key_id in 0..2000 {
        limiter.charge_key(&account(key_id), 1, at(NOON)).await;
        run_pending_tasks().await;
        assert!(
            limiter.keys_in_memory() <= 2 * SHARDS + 1,
            "{}",
            limiter.keys_in_memory()
        );
    }
    let total: u64 = (0..2000)
        .map(|key_id| ledger.claimed(key_id, Window::Minute))
        .sum();
    assert!(
        total <= 2000 + 2 * SHARDS as u64 * 6,
        "{total}: who went gave back"
    );
    let again = limiter.charge_key(&account(0), 1, at(NOON)).await;
    assert_eq!(
        again.rate_limit.remaining, 58,
        "the first request is not forgotten"
    );
}

#[tokio::test]
async fn number_of_busy_keys_is_limited_though_they_were_light() {
    let ledger = MemoryLedger::new();
    let policy = LimiterPolicy {
        max_keys: 2 * SHARDS,
        max_light_keys: 4000,
        ..LimiterPolicy::new(FREE)
    };
    let limiter = Limiter::new(Arc::clone(&ledger), policy);
    limiter.charge_key(&account(0), 1, at(NOON)).await;
    run_pending_tasks().await;
    let busy = || -> usize {
        let shards = limiter.keys.keys.lock_each();
        shards.map(|keys| keys.entries.len()).sum()
    };
    for key_id in 1..2000 {
        charge_at_once(&limiter, &account(key_id), NOON);
    }
    assert!(busy() <= 2 * SHARDS + 1, "all are light");
    for key_id in 1..2000 {
        // A light key has no free requests.
        limiter.charge_key(&account(key_id), 0, at(NOON)).await;
        run_pending_tasks().await;
        assert!(busy() <= 2 * SHARDS + 1, "{} after {key_id}", busy());
    }
}

#[tokio::test]
async fn time_never_goes_back_for_keys_and_addresses() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    limiter.charge_key(&account(1), 1, at(NOON + 60)).await;
    let decision = limiter.charge_key(&account(2), 1, at(NOON + 55)).await;
    assert_eq!(decision.rate_limit.reset, NOON + 90);
    let address = limiter.charge_address([192, 0, 2, 1].into(), 1, at(NOON));
    assert_eq!(address.rate_limit.reset, NOON + 90);
}

#[tokio::test]
async fn status_reports_both_windows_and_charges_nothing() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    limiter.charge_key(&key, 5, at(NOON)).await;
    for _ in 0..2 {
        let status = limiter.status(&key, at(NOON)).await.unwrap();
        assert_eq!((status.minute.remaining, status.day.remaining), (55, 995));
        assert_eq!((status.minute.reset, status.strikes), (NOON + 30, 0));
        assert_eq!(status.banned_until, None);
    }
}

#[tokio::test]
async fn charge_key_is_ready_at_once_while_lease_lasts() {
    let ledger = MemoryLedger::new();
    let limiter = limiter(&ledger);
    let key = account(1);
    limiter.charge_key(&key, 1, at(NOON)).await;
    let ready = pin!(limiter.charge_key(&key, 1, at(NOON)))
        .poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(ready.is_ready());
}

#[tokio::test(start_paused = true)]
async fn request_waits_for_a_hanging_ledger_once_and_no_longer_than_the_timeout() {
    for (limiter, expected) in [
        (limiter as fn(&_) -> _, Outcome::Unavailable),
        (admitting_limiter, Outcome::AdmittedWithoutLease),
    ] {
        let ledger = MemoryLedger::new();
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
        assert_eq!(started.elapsed(), limiter.keys.policy.ledger_timeout);
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
        let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
async fn close_claims_requests_admitted_without_lease() {
    let ledger = MemoryLedger::new();
    let limiter = admitting_limiter(&ledger);
    ledger.fail(true);
    for _ in 0..10 {
        assert!(
            limiter
                .charge_key(&account(1), 1, at(NOON))
                .await
                .is_admitted()
        );
    }
    run_pending_tasks().await;
    ledger.fail(false);
    limiter.close().await.unwrap();
    assert_eq!(ledger.claimed(1, Window::Minute), 10);
    assert_eq!(ledger.claimed(1, Window::Day), 10);
}

#[tokio::test]
async fn key_that_cannot_be_loaded_is_admitted_and_gets_its_usage_with_the_first_lease() {
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
    assert_eq!(started.elapsed(), limiter.keys.policy.ledger_timeout);
    ledger.hang(false);
    run_pending_tasks().await;
    assert_eq!(ledger.bans.lock().unwrap()[&1].strikes, 1);
}

#[tokio::test]
async fn stored_ban_that_cannot_be_read_at_a_clock_step_is_read_with_the_next_sweep() {
    for requested_meanwhile in [false, true] {
        let ledger = MemoryLedger::new();
        let ban = Ban {
            strikes: 1,
            until: Some(NOON + 120),
            epoch: 0,
        };
        ledger.bans.lock().unwrap().insert(1, ban);
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
        let stored = ledger.bans.lock().unwrap()[&1];
        assert_eq!(stored.until, Some(NOON + 120 - 86_400));
        let late = limiter.charge_key(&banned, 1, stepped(80)).await;
        assert_eq!(late.rate_limit.retry_after, Some(40));
        let after = limiter.charge_key(&banned, 1, stepped(120)).await;
        assert!(after.is_admitted());
    }
}

/// A limiter that gives credit: a key was admitted before.
async fn crediting_limiter(ledger: &Arc<MemoryLedger>) -> Limiter<MemoryLedger> {
    let limiter = limiter(ledger);
    limiter.charge_key(&account(0), 1, at(NOON)).await;
    run_pending_tasks().await;
    limiter
}

#[tokio::test]
async fn requests_on_credit_need_no_ledger_call_and_are_claimed_when_the_key_leaves_memory() {
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
    let ledger = MemoryLedger::new();
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
    assert!(ledger.credit.lock().unwrap().is_open);
}

#[tokio::test]
async fn light_keys_beyond_the_maximum_are_returned_to_the_ledger_oldest_first() {
    let ledger = MemoryLedger::new();
    let policy = LimiterPolicy {
        max_keys: SHARDS * 512,
        max_light_keys: SHARDS * 300,
        ..LimiterPolicy::new(FREE)
    };
    let limiter = Limiter::new(Arc::clone(&ledger), policy);
    limiter.charge_key(&account(0), 1, at(NOON)).await;
    run_pending_tasks().await;
    for (minute, keys) in [(0, 1..300), (1, 300..1000)] {
        for number in keys {
            // All in one shard.
            let decision = charge_at_once(
                &limiter,
                &account(number * SHARDS as i64),
                NOON + minute * 60,
            );
            assert!(decision.is_admitted());
            run_pending_tasks().await;
            assert!(
                limiter.keys_in_memory() <= 302,
                "{}",
                limiter.keys_in_memory()
            );
        }
    }
    let claimed = |number: i64| ledger.claimed(number * SHARDS as i64, Window::Day);
    assert_eq!((1..250).map(claimed).sum::<u64>(), 249);
    assert_eq!((950..1000).map(claimed).sum::<u64>(), 0);
}

#[tokio::test(start_paused = true)]
async fn stop_without_time_for_all_keys_counts_as_a_crash() {
    let ledger = MemoryLedger::new();
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
