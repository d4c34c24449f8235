//! What a decision costs: the admitted path of the limiter beside `governor`'s keyed limiter with the same two quotas,
//! one after the other in one run, each reading its clock for every decision.
//!
//! The limits are so high that nothing is refused, and the leases are granted at once, as their cost is that of the
//! store. `governor` tells yes or no; the limiter also where the caller stands. The figures mean something in a release
//! build: `cargo bench -p petstore-server --bench rate_limit`.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use chrono::Utc;
use futures::FutureExt;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use petstore_server::rate_limit::{
    Account, Adjusted, Adjustment, Ban, Held, KeyLedger, Ledger, Limiter, Limits, Policy,
};
use petstore_server::store::StoreError;

const DECISIONS: u64 = 2_000_000;
/// Each way runs this often, in turns, so that both meet the same weather; the median counts.
const ROUNDS: usize = 11;
const KEY: i64 = 7;
const LIMITS: Limits = Limits {
    per_minute: u32::MAX as u64,
    per_day: u32::MAX as u64,
};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let ours = Limiter::new(
        Arc::new(Granting),
        Policy {
            bans: None,
            ..Policy::new(LIMITS)
        },
    );
    let account = Account {
        key_id: KEY,
        limits: LIMITS,
        ban: Ban::default(),
    };
    runtime.block_on(ours.charge_key(&account, 1, Utc::now()));
    let theirs = Governor::new();

    println!("nanoseconds for a decision, median of {ROUNDS} rounds of {DECISIONS} decisions");
    println!(
        "{:<24}{:>10}{:>10}{:>8}",
        "", "limiter", "governor", "ratio"
    );
    for (name, threads) in [("uncontended", 1), ("8 threads on one key", 8)] {
        let (mut limiter, mut governor) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            limiter.push(measure(threads, || {
                // A lease that is on its way makes the answer wait; that is counted in.
                let verdict = ours.charge_key(&account, 1, Utc::now());
                let mut verdict = Box::pin(verdict);
                loop {
                    if let Some(verdict) = verdict.as_mut().now_or_never() {
                        break verdict.is_admitted();
                    }
                    std::thread::yield_now();
                }
            }));
            governor.push(measure(threads, || theirs.admits(KEY)));
        }
        let (limiter, governor) = (median(limiter), median(governor));
        println!(
            "{name:<24}{limiter:>10.1}{governor:>10.1}{:>8.2}",
            limiter / governor
        );
    }
}

/// Nanoseconds of wall clock for a decision, over all threads together.
fn measure(threads: u64, decide: impl Fn() -> bool + Sync) -> f64 {
    let each = DECISIONS / threads;
    let start_line = Barrier::new(threads as usize);
    let elapsed: Duration = std::thread::scope(|scope| {
        let runners: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    start_line.wait();
                    let start = Instant::now();
                    for _ in 0..each {
                        assert!(
                            black_box(decide()),
                            "the limits are too low for this machine"
                        );
                    }
                    (start, Instant::now())
                })
            })
            .collect();
        let spans: Vec<_> = runners
            .into_iter()
            .map(|runner| runner.join().unwrap())
            .collect();
        let first = spans.iter().map(|(start, _)| *start).min().unwrap();
        let last = spans.iter().map(|(_, end)| *end).max().unwrap();
        last - first
    });
    elapsed.as_nanos() as f64 / (each * threads) as f64
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Two quotas of `governor`, as one caller has two windows.
struct Governor {
    minute: DefaultKeyedRateLimiter<i64>,
    day: DefaultKeyedRateLimiter<i64>,
}

impl Governor {
    fn new() -> Governor {
        let per_minute = Quota::per_minute(NonZeroU32::MAX);
        let period = Duration::from_secs(24 * 60 * 60) / u32::MAX;
        let per_day = Quota::with_period(period)
            .unwrap()
            .allow_burst(NonZeroU32::MAX);
        Governor {
            minute: RateLimiter::keyed(per_minute),
            day: RateLimiter::keyed(per_day),
        }
    }

    fn admits(&self, key: i64) -> bool {
        self.minute.check_key(&key).is_ok() && self.day.check_key(&key).is_ok()
    }
}

/// Grants whatever is asked for, at once.
struct Granting;

impl Ledger for Granting {
    fn key_ledger(&self, _: i64) -> Result<KeyLedger, StoreError> {
        Ok(KeyLedger::default())
    }

    async fn adjust(&self, wishes: Vec<Adjustment>, _: i64) -> Result<Vec<Adjusted>, StoreError> {
        let granted = wishes.iter().map(|wish| {
            let granted = wish.amount.unsigned_abs();
            Adjusted {
                held: Held {
                    start: wish.start,
                    claimed: granted,
                },
                granted,
            }
        });
        Ok(granted.collect())
    }

    async fn record_ban(&self, _: i64, _: Ban) -> Result<(), StoreError> {
        Ok(())
    }
}
