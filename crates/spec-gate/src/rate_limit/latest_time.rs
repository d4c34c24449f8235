//! The latest time that the limiter was given. It never goes back, except by a clock step.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::now::Now;
use crate::clock::Time;

/// An estimate of the clock of a ledger varies by at most so many seconds.
const MAX_VARIATION: i64 = 2;

/// The latest time that the limiter was given.
///
/// A decision reads it while it holds the lock of what it decides on. So no two decisions on one key see the time go
/// back, which would open a window twice.
#[derive(Debug)]
pub(super) struct LatestTime {
    /// The wall clock in Unix seconds until the first step. Decisions share no lock until then.
    seconds: AtomicI64,
    has_stepped: AtomicBool,
    /// The number of steps and the time since the first step.
    stepped: Mutex<(u32, Now)>,
}

impl LatestTime {
    pub(super) const fn new() -> LatestTime {
        LatestTime {
            seconds: AtomicI64::new(i64::MIN),
            has_stepped: AtomicBool::new(false),
            stepped: Mutex::new((0, Now::at(i64::MIN))),
        }
    }

    /// Stores `time` if it is later. Returns whether it is the first one after a clock step.
    #[inline]
    pub(super) fn advance(&self, time: &Time) -> bool {
        let wall = time.wall.timestamp();
        if time.steps == 0 {
            // Reading first keeps the cache line shared by all threads, except once a second.
            if wall > self.seconds.load(Ordering::Relaxed) {
                self.seconds.fetch_max(wall, Ordering::Relaxed);
            }
            return false;
        }
        self.advance_after_step(time)
    }

    /// Stores the time of a ledger's clock (Unix seconds). It is followed back only if that clock was set back: an estimate of
    /// it varies by less. The windows go on then, and those that the ledger knows under a later start are its affair.
    #[inline]
    pub(super) fn follow(&self, now: i64) {
        let latest = self.seconds.load(Ordering::Relaxed);
        if now > latest {
            self.seconds.fetch_max(now, Ordering::Relaxed);
        } else if now < latest.saturating_sub(MAX_VARIATION) {
            self.seconds.store(now, Ordering::Relaxed);
        }
    }

    /// The latest time so far.
    #[inline]
    pub(super) fn now(&self) -> Now {
        if self.has_stepped.load(Ordering::Acquire) {
            self.lock().1
        } else {
            Now::at(self.seconds.load(Ordering::Relaxed))
        }
    }

    #[cold]
    fn advance_after_step(&self, time: &Time) -> bool {
        let (wall, stepped) = (time.wall.timestamp(), time.stepped.num_seconds());
        let mut latest = self.lock();
        let (steps, now) = *latest;
        if time.steps <= steps {
            if time.steps == steps && wall > now.wall {
                latest.1 = now.with_wall(wall);
            }
            return false;
        }
        let before = if self.has_stepped.load(Ordering::Relaxed) {
            now
        } else {
            Now::at(self.seconds.load(Ordering::Relaxed))
        };
        let from = before.wall.max(wall - (stepped - before.stepped));
        *latest = (time.steps, before.with_wall(from).step_to(wall, stepped));
        self.has_stepped.store(true, Ordering::Release);
        true
    }

    fn lock(&self) -> MutexGuard<'_, (u32, Now)> {
        self.stepped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
