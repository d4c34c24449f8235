//! What a decision costs: the admitted path of the limiter beside `governor`'s keyed limiter with the same two quotas,
//! in turns in one run; once with a reading of the clock for each decision, and once without, as the limiter is told
//! the time by the gate and `governor` can be given a clock that stands still.
//!
//! The limits are so high that nothing is refused, and the leases are granted at once, as their cost is that of the
//! store. `governor` tells yes or no; the limiter also where the caller stands. The figures mean something in a release
//! build: `cargo bench -p rate-limit`.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use futures::FutureExt;
use governor::clock::{Clock, DefaultClock, FakeRelativeClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use rate_limit::clock::{Clock as _, SystemClock, Time};
use rate_limit::storage_error::StorageError;
use rate_limit::{
    Account, Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Limiter, LimiterPolicy, Now,
    RateLimits,
};

const DECISIONS: u64 = 800_000;
/// Each way runs this often, in turns, so that both meet the same weather; the best counts, as whatever else
/// runs on the machine only makes it slower.
const ROUNDS: usize = 25;
const KEY: i64 = 7;
const LIMITS: RateLimits = RateLimits {
    per_minute: u32::MAX as u64,
    per_day: u32::MAX as u64,
};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let ours = Limiter::new(
        Arc::new(Granting),
        LimiterPolicy {
            bans_enabled: false,
            ..LimiterPolicy::new(LIMITS)
        },
    );
    let account = Account {
        key_id: KEY,
        limits: LIMITS,
        ban: Ban::default(),
    };
    runtime.block_on(ours.charge_key(&account, 1, read_clock()));
    let admits = |now: Time| {
        let mut decision = pin!(ours.charge_key(&account, 1, now));
        loop {
            // At a new minute the first has to wait for its lease; that is counted in.
            match decision.as_mut().now_or_never() {
                Some(decision) => break decision.is_admitted(),
                None => std::thread::yield_now(),
            }
        }
    };

    let (clocked, standing) = (
        Governor::new(DefaultClock::default()),
        Governor::new(FakeRelativeClock::default()),
    );
    println!("nanoseconds for a decision, best of {ROUNDS} rounds of {DECISIONS} decisions");
    println!(
        "{:<40}{:>10}{:>10}{:>8}",
        "", "limiter", "governor", "ratio"
    );
    for (name, threads) in [("uncontended", 1), ("8 threads on one key", 8)] {
        compare(
            &format!("{name}, reading the clock"),
            threads,
            || admits(read_clock()),
            || clocked.admits(KEY),
        );
        let now = read_clock();
        compare(
            &format!("{name}, told the time"),
            threads,
            || admits(now),
            || standing.admits(KEY),
        );
    }
}

/// Measures two ways in turns, and prints what they took.
fn compare(
    name: &str,
    threads: u64,
    ours: impl Fn() -> bool + Sync,
    theirs: impl Fn() -> bool + Sync,
) {
    let (mut limiter, mut governor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        limiter.push(measure(threads, &ours));
        governor.push(measure(threads, &theirs));
    }
    let (limiter, governor) = (best(limiter), best(governor));
    println!(
        "{name:<40}{limiter:>10.1}{governor:>10.1}{:>8.2}",
        limiter / governor
    );
}

fn read_clock() -> Time {
    Time::without_steps(SystemClock.now())
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

fn best(figures: Vec<f64>) -> f64 {
    figures.into_iter().fold(f64::INFINITY, f64::min)
}

/// Two quotas of `governor`, as one caller has two windows.
struct Governor<C: Clock> {
    minute: Keyed<C>,
    day: Keyed<C>,
}

type Keyed<C> =
    RateLimiter<i64, DefaultKeyedStateStore<i64>, C, NoOpMiddleware<<C as Clock>::Instant>>;

impl<C: Clock + Clone> Governor<C> {
    fn new(clock: C) -> Governor<C> {
        let per_minute = Quota::per_minute(NonZeroU32::MAX);
        let period = Duration::from_secs(24 * 60 * 60) / u32::MAX;
        let per_day = Quota::with_period(period)
            .unwrap()
            .allow_burst(NonZeroU32::MAX);
        Governor {
            minute: RateLimiter::dashmap_with_clock(per_minute, clock.clone()),
            day: RateLimiter::dashmap_with_clock(per_day, clock),
        }
    }

    fn admits(&self, key: i64) -> bool {
        self.minute.check_key(&key).is_ok() && self.day.check_key(&key).is_ok()
    }
}

/// Grants whatever is asked for, at once.
struct Granting;

impl Ledger for Granting {
    async fn read_entry(&self, _: i64) -> Result<LedgerEntry, StorageError> {
        Ok(LedgerEntry::default())
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let granted = adjustments.iter().map(|adjustment| {
            let granted = adjustment.amount.unsigned_abs();
            let start = now().start_of(adjustment.window);
            let claim = Claim {
                start,
                claimed: granted,
            };
            Adjusted::unshared(claim, granted)
        });
        Ok(granted.collect())
    }

    async fn carry_over(&self, _: impl Fn() -> Now + Send + 'static) -> Result<(), StorageError> {
        Ok(())
    }

    async fn read_banned(&self, _: i64) -> Result<Vec<i64>, StorageError> {
        Ok(Vec::new())
    }

    async fn record_ban(&self, _: i64, _: Ban) -> Result<(), StorageError> {
        Ok(())
    }
}
