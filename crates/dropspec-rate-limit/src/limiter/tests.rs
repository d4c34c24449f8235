//! The limiter over a ledger in memory that can be made to wait and to fail.
mod credit;
mod decisions;
mod faults;

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use chrono::{DateTime, TimeDelta};
use futures::FutureExt;
use futures::future::join_all;
use tokio::sync::Semaphore;

use super::*;
use crate::{
    Adjusted, Adjustment, Ban, CreditRecord, LedgerEntry, MemoryLedger, Now, Outcome, RateLimits,
    WithoutLedger,
};

/// 2026-11-21 12:00:30 UTC.
const NOON: i64 = 1_795_262_430;
const FREE: RateLimits = RateLimits::new(60, 1000);

/// A ledger in memory that outlives its limiter, as a database does.
struct TestLedger {
    entries: MemoryLedger,
    credit: Mutex<CreditRecord>,
    /// Each write takes one permit; there are plenty unless a test takes them away.
    permits: Semaphore,
    fails: AtomicBool,
    calls: AtomicI64,
}

impl TestLedger {
    fn new() -> Arc<TestLedger> {
        Arc::new(TestLedger {
            entries: MemoryLedger::default(),
            credit: Mutex::default(),
            permits: Semaphore::new(Semaphore::MAX_PERMITS),
            fails: AtomicBool::new(false),
            calls: AtomicI64::new(0),
        })
    }

    fn entry(&self, key_id: i64) -> LedgerEntry {
        let entry = self.entries.read_entry(key_id).now_or_never();
        entry.unwrap().unwrap()
    }

    fn claimed(&self, key_id: i64, window: Window) -> u64 {
        let claim = *self.entry(key_id).claim_mut(window);
        claim.map_or(0, |claim| claim.claimed)
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

    fn read(&self) -> Result<&MemoryLedger, StorageError> {
        if self.fails.load(Ordering::SeqCst) {
            Err(StorageError::unavailable("the disk is full"))
        } else {
            Ok(&self.entries)
        }
    }

    async fn write(&self) -> Result<&MemoryLedger, StorageError> {
        self.permits.acquire().await.unwrap().forget();
        self.read()
    }
}

impl Ledger for TestLedger {
    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        self.read()?.read_entry(key_id).await
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let written = self.write().await;
        self.calls.fetch_add(1, Ordering::SeqCst);
        written?.adjust(adjustments, now).await
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        self.read()?;
        Ok(*self.credit.lock())
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        self.write().await?;
        *self.credit.lock() = record;
        Ok(())
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        self.read()?.carry_over(now).await
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        self.read()?.read_banned(time).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.write().await?.record_ban(key_id, ban).await
    }
}

/// The time `seconds` (Unix) by a clock without steps.
fn at(seconds: i64) -> Time {
    Time::without_steps(DateTime::from_timestamp(seconds, 0).unwrap())
}

fn limiter(ledger: &Arc<TestLedger>) -> Limiter<TestLedger> {
    Limiter::new(Arc::clone(ledger), LimiterPolicy::new(FREE))
}

/// A limiter that admits requests without a lease.
fn admitting_limiter(ledger: &Arc<TestLedger>) -> Limiter<TestLedger> {
    let policy = LimiterPolicy {
        without_ledger: WithoutLedger::Admit,
        ..LimiterPolicy::new(FREE)
    };
    Limiter::new(Arc::clone(ledger), policy)
}

/// The decision on a request that must not wait.
fn charge_at_once(limiter: &Limiter<TestLedger>, key: &Account, now: i64) -> Decision {
    charge(limiter, key, 1, now)
}

fn charge(limiter: &Limiter<TestLedger>, key: &Account, cost: u64, now: i64) -> Decision {
    let decision = limiter.charge_key(key, cost, at(now)).now_or_never();
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
