//! The latest time that the limiter was given. If the machine's clock is set back, the limiter's time stays, so that
//! no window that has passed starts again.

use std::sync::atomic::{AtomicI64, Ordering};

/// The latest time that the limiter was given, in Unix seconds. It never goes back.
#[derive(Debug)]
pub(super) struct LatestTime(AtomicI64);

impl LatestTime {
    pub(super) const fn new() -> LatestTime {
        LatestTime(AtomicI64::new(i64::MIN))
    }

    /// Stores `now` if it is later, and returns the latest time seen.
    #[inline]
    pub(super) fn advance(&self, now: i64) -> i64 {
        // Reading first keeps the cache line shared by all threads, except once a second.
        let latest = self.get();
        if now <= latest {
            return latest;
        }
        self.0.fetch_max(now, Ordering::Relaxed).max(now)
    }

    /// The latest time so far, in Unix seconds.
    pub(super) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advance_never_returns_an_earlier_time() {
        let time = LatestTime::new();
        let seen = [10, 12, 7, 12, 13].map(|now| time.advance(now));
        assert_eq!(seen, [10, 12, 12, 12, 13]);
    }
}
