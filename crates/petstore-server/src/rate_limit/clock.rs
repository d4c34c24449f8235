//! The limiter's clock: the latest time that anyone told it. When the machine's clock is set back it stands
//! still, so that no window that has passed begins again.

use std::sync::atomic::{AtomicI64, Ordering};

/// The latest time seen, in Unix seconds.
#[derive(Debug)]
pub(super) struct Clock(AtomicI64);

impl Clock {
    pub(super) const fn new() -> Clock {
        Clock(AtomicI64::new(i64::MIN))
    }

    /// Learns that it is `now`, and returns the latest time seen.
    #[inline]
    pub(super) fn advance(&self, now: i64) -> i64 {
        // Reading first keeps the cache line shared by all threads but once a second.
        let latest = self.latest();
        if now <= latest {
            return latest;
        }
        self.0.fetch_max(now, Ordering::Relaxed).max(now)
    }

    /// The latest time seen.
    pub(super) fn latest(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_goes_back() {
        let clock = Clock::new();
        let seen = [10, 12, 7, 12, 13].map(|now| clock.advance(now));
        assert_eq!(seen, [10, 12, 12, 12, 13]);
    }
}
