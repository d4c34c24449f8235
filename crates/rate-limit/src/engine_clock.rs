//! The clock of an engine, estimated from the times in its replies.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// By whose clock windows begin and end, if several servers share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSource {
    /// That of the engine.
    Engine,
    /// The time that the caller gives, for tests.
    Caller,
}

/// What [`EngineClock`] stores before the first reply.
const UNKNOWN: i64 = i64::MIN;

/// An estimate of the clock of an engine. It is right within the round trip of a call, however the clock of this machine is set.
#[derive(Debug)]
pub struct EngineClock {
    origin: Instant,
    /// The engine's clock at `origin`, in Unix microseconds.
    offset: AtomicI64,
}

impl EngineClock {
    /// An estimate without a reply yet.
    #[expect(
        clippy::new_without_default,
        reason = "it reads the clock of this machine"
    )]
    pub fn new() -> EngineClock {
        EngineClock {
            origin: Instant::now(),
            offset: AtomicI64::new(UNKNOWN),
        }
    }

    /// The time in Unix seconds; `None` before the first reply.
    #[inline]
    pub fn now(&self) -> Option<i64> {
        let offset = self.offset.load(Ordering::Relaxed);
        let seconds = || (self.micros_at(Instant::now()) + offset).div_euclid(1_000_000);
        (offset != UNKNOWN).then(seconds)
    }

    /// Takes the time `micros` (Unix microseconds) of a reply to a call that was sent and answered at these times. Between
    /// them the engine's clock showed it. So an estimate outside of these bounds is moved to the nearest one.
    pub fn observe(&self, micros: i64, sent: Instant, received: Instant) {
        let (lowest, highest) = (
            micros - self.micros_at(received),
            micros - self.micros_at(sent),
        );
        let before = self.offset.load(Ordering::Relaxed);
        let after = match before {
            UNKNOWN => highest,
            before => before.clamp(lowest, highest),
        };
        if after != before {
            self.offset.store(after, Ordering::Relaxed);
        }
    }

    fn micros_at(&self, time: Instant) -> i64 {
        let elapsed = time.saturating_duration_since(self.origin);
        i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn estimate_is_moved_into_the_bounds_of_each_reply() {
        let clock = EngineClock::new();
        assert_eq!(clock.now(), None);
        let at = |millis| clock.origin + Duration::from_millis(millis);
        // The time of the reply in milliseconds, when it was sent and received, and the engine's clock at the origin.
        for (reply, sent, received, expected, reason) in [
            (5_000, 0, 10, 5_000, "the latest time it can be"),
            (5_100, 95, 101, 5_000, "within the bounds: 4999 to 5005"),
            (5_200, 201, 202, 4_999, "it was ahead"),
            (9_000, 300, 301, 8_699, "the clock was set forward"),
            (1_000, 400, 402, 600, "the clock was set back"),
        ] {
            clock.observe(reply * 1000, at(sent), at(received));
            assert_eq!(
                clock.offset.load(Ordering::Relaxed),
                expected * 1000,
                "{reason}"
            );
        }
    }
}
