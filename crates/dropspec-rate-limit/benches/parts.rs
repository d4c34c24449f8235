//! The gain of each optimization of the limiter: counts with it and without it, which do not depend on the machine.
//! `cargo bench -p dropspec-rate-limit --bench parts`
//!
//! With and without: 19 and 1,000 ledger calls (leases); 1 and 100,000 requests that wait (credit). It also prints the memory of a
//! key.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dropspec_rate_limit::clock::Time;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{
    Account, Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Limiter, LimiterPolicy, Now,
    RateLimits,
};

const LIMITS: RateLimits = RateLimits::new(1_000, 100_000);
const KEYS: i64 = 100_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    println!("{:<66}{:>10}{:>10}{:>8}", "", "with", "without", "ratio");
    // First, as memory that was used before would be used again.
    println!("bytes of memory for a key: {:.0}", bytes_of_key().await);

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
async fn bytes_of_key() -> f64 {
    let limiter = Limiter::new(Granting::new(Credit::Given), LimiterPolicy::new(LIMITS));
    assert!(charge(&limiter, 0).await);
    let before = resident_bytes();
    for key_id in 1..=KEYS {
        assert!(charge(&limiter, key_id).await);
    }
    assert_eq!(limiter.keys_in_memory() as i64, KEYS + 1);
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
