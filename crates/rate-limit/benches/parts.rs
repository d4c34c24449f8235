//! The gain of each optimization of the limiter: counts with it and without it, which do not depend on the machine.
//! `cargo bench -p rate-limit --bench parts`
//!
//! With and without: 19 and 1,000 ledger calls (leases); 1 and 100,000 requests that wait (credit); 44 and 535 bytes for a
//! key (light keys). What shards gain depends on the machine: on two busy cores a decision took 76 to 149 ns with them and 76 to
//! 138 ns without, which shows no gain.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures::FutureExt;
use rate_limit::clock::Time;
use rate_limit::storage_error::StorageError;
use rate_limit::{
    Account, Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Limiter, LimiterPolicy, Now,
    RateLimits,
};

const LIMITS: RateLimits = RateLimits {
    per_minute: 1_000,
    per_day: 100_000,
};
const KEYS: i64 = 100_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("{:<66}{:>10}{:>10}{:>8}", "", "with", "without", "ratio");
    // First, as memory that was used before would be used again.
    let policy = LimiterPolicy::new(LIMITS);
    let without = LimiterPolicy {
        max_light_keys: 0,
        max_keys: policy.max_light_keys,
        ..policy
    };
    let (with, without) = (bytes_of_key(policy).await, bytes_of_key(without).await);
    show("light keys: bytes of memory for a key", with, without);

    let requests = LIMITS.per_minute;
    let calls = calls_of_one_key(requests).await;
    show(
        "leases: ledger calls for 1,000 requests of a key",
        calls,
        requests as f64,
    );

    let (with, without) = (waits(Credit::Given).await, waits(Credit::None).await);
    show(
        "credit: requests that wait for the ledger, of 300,000 of 100,000 keys",
        with,
        without,
    );

    let (with, without) = (nanoseconds(1).await, nanoseconds(SHARDS).await);
    show(
        "shards: nanoseconds for a decision, 4 threads",
        with,
        without,
    );
}

/// The number of shards of the limiter: keys whose ids differ by it share one.
const SHARDS: i64 = 96;

/// The best time for a decision of four threads, each with a key of its own, whose ids differ by `step`.
async fn nanoseconds(step: i64) -> f64 {
    const DECISIONS: u32 = 200_000;
    const THREADS: i64 = 4;
    let limits = RateLimits {
        per_minute: u32::MAX.into(),
        per_day: u32::MAX.into(),
    };
    let limiter = Limiter::new(Granting::new(Credit::Given), LimiterPolicy::new(limits));
    let accounts = (0..THREADS).map(|number| Account {
        key_id: number * step,
        limits,
        ban: Ban::default(),
    });
    let accounts: Vec<Account> = accounts.collect();
    for account in &accounts {
        limiter.charge_key(account, 0, noon()).await;
    }
    let round = || {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for account in &accounts {
                scope.spawn(|| {
                    for _ in 0..DECISIONS {
                        // It costs nothing, so no lease is needed.
                        let decision = limiter.charge_key(account, 0, noon()).now_or_never();
                        assert!(decision.is_some_and(|it| it.is_admitted()));
                    }
                });
            }
        });
        start.elapsed().as_nanos() as f64 / (f64::from(DECISIONS) * THREADS as f64)
    };
    (0..20).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn noon() -> Time {
    Time::without_steps(chrono::DateTime::from_timestamp(1_795_262_400, 0).unwrap())
}

fn show(what: &str, with: f64, without: f64) {
    println!(
        "{what:<66}{with:>10.0}{without:>10.0}{:>8.2}",
        with / without
    );
}

/// Ledger calls for the requests of one key, which each end before the next one begins.
async fn calls_of_one_key(requests: u64) -> f64 {
    let ledger = Granting::new(Credit::Given);
    let limiter = Limiter::new(Arc::clone(&ledger), LimiterPolicy::new(LIMITS));
    for _ in 0..requests {
        assert!(charge(&limiter, 1).await);
    }
    ledger.calls.load(Ordering::Relaxed) as f64
}

/// How many of three requests of each key wait for the ledger.
async fn waits(credit: Credit) -> f64 {
    let limiter = Limiter::new(Granting::new(credit), LimiterPolicy::new(LIMITS));
    for _ in 0..3 {
        for key_id in 0..KEYS {
            assert!(charge(&limiter, key_id).await);
        }
    }
    limiter.stats().lease_waits as f64
}

/// The memory that a key with one request takes.
async fn bytes_of_key(policy: LimiterPolicy) -> f64 {
    let limiter = Limiter::new(Granting::new(Credit::Given), policy);
    assert!(charge(&limiter, 0).await);
    let before = resident_bytes();
    for key_id in 1..=KEYS {
        assert!(charge(&limiter, key_id).await);
    }
    assert!(limiter.keys_in_memory() as i64 > KEYS - 10_000);
    let after = resident_bytes();
    (after - before) / KEYS as f64
}

async fn charge<L: Ledger>(limiter: &Limiter<L>, key_id: i64) -> bool {
    let account = Account {
        key_id,
        limits: LIMITS,
        ban: Ban::default(),
    };
    let decision = limiter.charge_key(&account, 1, noon());
    let is_admitted = decision.await.is_admitted();
    // Lets leases go on that are taken in the background.
    tokio::task::yield_now().await;
    is_admitted
}

/// The resident memory of this process, by the second number of `/proc/self/statm`.
fn resident_bytes() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: f64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096.0
}

/// Whether keys have credit: with a ledger that is shared they have none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Credit {
    Given,
    None,
}

/// Grants whatever is asked for, at once, and counts the calls.
struct Granting {
    credit: Credit,
    calls: AtomicU64,
}

impl Granting {
    fn new(credit: Credit) -> Arc<Granting> {
        Arc::new(Granting {
            credit,
            calls: AtomicU64::new(0),
        })
    }
}

impl Ledger for Granting {
    fn is_shared(&self) -> bool {
        self.credit == Credit::None
    }

    async fn read_entry(&self, _: i64) -> Result<LedgerEntry, StorageError> {
        Ok(LedgerEntry::default())
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let granted = adjustments.iter().map(|adjustment| {
            let claimed = adjustment.apply(adjustment.used + adjustment.leased);
            let granted = claimed - adjustment.used - adjustment.leased;
            let start = now().start_of(adjustment.window);
            Adjusted::unshared(Claim { start, claimed }, granted)
        });
        Ok(granted.collect())
    }

    async fn carry_over(
        &self,
        _: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        Ok(())
    }

    async fn read_banned(&self, _: i64) -> Result<Vec<i64>, StorageError> {
        Ok(Vec::new())
    }

    async fn record_ban(&self, _: i64, _: Ban) -> Result<(), StorageError> {
        Ok(())
    }
}
