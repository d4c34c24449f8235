//! The latest time that the limiter was given. It never goes back, except by a clock step.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::clock::Time;
use super::now::Now;

/// An estimate of the clock of a ledger varies by at most so many seconds.
const MAX_VARIATION: i64 = 2;

/// The latest time that the limiter was given.
///
/// A decision reads it while it holds the lock of what it decides on. So no two decisions on one key see the time go
/// back, which would open a window twice.
#[derive(Debug)]
pub(super) struct LatestTime(RwLock<Latest>);

#[derive(Clone, Copy, Debug)]
struct Latest {
    /// The number of clock steps so far.
    steps: u32,
    now: Now,
}

impl LatestTime {
    pub(super) const fn new() -> LatestTime {
        LatestTime(RwLock::new(Latest {
            steps: 0,
            now: Now::at(i64::MIN),
        }))
    }

    /// Stores `time` if it is later. Returns whether it is the first one after a clock step.
    #[inline]
    pub(super) fn advance(&self, time: &Time) -> bool {
        let known = *self.read();
        // So it is for nearly all requests of a second.
        if time.steps == known.steps && time.wall.timestamp() <= known.now.wall {
            return false;
        }
        self.store(time)
    }

    /// Stores the time of a ledger's clock (Unix seconds). It is followed back only if that clock was set back: an estimate of
    /// it varies by less. The windows go on then, and those that the ledger knows under a later start are its affair.
    #[inline]
    pub(super) fn follow(&self, now: i64) {
        let is_news = |latest: i64| now > latest || now < latest.saturating_sub(MAX_VARIATION);
        if is_news(self.now().wall) {
            let mut latest = self.write();
            if is_news(latest.now.wall) {
                latest.now = Now::at(now);
            }
        }
    }

    /// The latest time so far.
    #[inline]
    pub(super) fn now(&self) -> Now {
        self.read().now
    }

    #[cold]
    fn store(&self, time: &Time) -> bool {
        let (wall, stepped) = (time.wall.timestamp(), time.stepped.num_seconds());
        let mut latest = self.write();
        let before = latest.now;
        if time.steps <= latest.steps {
            if time.steps == latest.steps && wall > before.wall {
                latest.now = before.with_wall(wall);
            }
            return false;
        }
        let from = before.wall.max(wall - (stepped - before.stepped));
        *latest = Latest {
            steps: time.steps,
            now: before.with_wall(from).step_to(wall, stepped),
        };
        true
    }

    fn read(&self) -> RwLockReadGuard<'_, Latest> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Latest> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
