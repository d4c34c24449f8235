//! The clock of an engine, estimated from the times in its replies.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;

use crate::clock::{Clock, SystemClock, Time, Timekeeper};

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
/// Before the first reply it is the clock of this machine.
#[derive(Debug)]
pub struct EngineClock {
    machine: Arc<dyn Clock>,
    /// The engine's clock when the monotonic clock of this machine was 0, in Unix microseconds.
    offset: AtomicI64,
    /// When the latest call was sent whose reply was taken, in microseconds of the monotonic clock.
    sent: AtomicI64,
}

/// Reads the clock of an engine, and notices its steps.
pub struct EngineTime {
    clock: Arc<EngineClock>,
    keeper: Timekeeper,
    stepped: watch::Sender<TimeDelta>,
}

impl EngineClock {
    /// An estimate without a reply yet, by the monotonic clock of this machine.
    pub fn over(machine: Arc<dyn Clock>) -> EngineClock {
        EngineClock {
            machine,
            offset: AtomicI64::new(UNKNOWN),
            sent: AtomicI64::new(0),
        }
    }

    /// Takes the time `micros` (Unix microseconds) of a reply to a call that was sent and answered at these times. Between
    /// them the engine's clock showed it. So an estimate outside of these bounds is moved to the nearest one. A reply that
    /// another one has overtaken says nothing new.
    pub fn observe(&self, micros: i64, sent: Duration, received: Duration) {
        let (sent, received) = (to_micros(sent), to_micros(received));
        if self.sent.fetch_max(sent, Ordering::Relaxed) > sent {
            return;
        }
        let (lowest, highest) = (micros - received, micros - sent);
        let before = self.offset.load(Ordering::Relaxed);
        let after = match before {
            UNKNOWN => highest,
            before => before.clamp(lowest, highest),
        };
        if after != before {
            self.offset.store(after, Ordering::Relaxed);
        }
    }

    fn estimate(&self) -> Option<DateTime<Utc>> {
        let offset = self.offset.load(Ordering::Relaxed);
        if offset == UNKNOWN {
            return None;
        }
        DateTime::from_timestamp_micros(to_micros(self.monotonic()) + offset)
    }
}

impl Clock for EngineClock {
    fn now(&self) -> DateTime<Utc> {
        self.estimate().unwrap_or_else(|| self.machine.now())
    }

    fn monotonic(&self) -> Duration {
        self.machine.monotonic()
    }

    fn lead_of_machine(&self) -> TimeDelta {
        self.machine.now() - self.now()
    }
}

impl EngineTime {
    /// The time of an engine that has not replied yet.
    #[expect(
        clippy::new_without_default,
        reason = "it reads the clock of this machine"
    )]
    pub fn new() -> EngineTime {
        let clock = Arc::new(EngineClock::over(Arc::new(SystemClock)));
        EngineTime {
            keeper: Timekeeper::new(Arc::clone(&clock) as _),
            clock,
            stepped: watch::Sender::new(TimeDelta::zero()),
        }
    }

    /// The estimate of the clock.
    pub fn clock(&self) -> &Arc<EngineClock> {
        &self.clock
    }

    /// The time; `None` before the first reply.
    pub fn read(&self) -> Option<Time> {
        self.clock.estimate()?;
        let note_step = |change| self.stepped.send_modify(|sum| *sum += change);
        Some(self.keeper.read(note_step))
    }

    /// The sum of the steps of the clock, and each change of it.
    pub fn watch_steps(&self) -> watch::Receiver<TimeDelta> {
        self.stepped.subscribe()
    }
}

impl fmt::Debug for EngineTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clock.fmt(f)
    }
}

fn to_micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_is_moved_into_the_bounds_of_each_reply() {
        let clock = EngineClock::over(Arc::new(SystemClock));
        assert_eq!(clock.estimate(), None);
        let at = Duration::from_millis;
        // The time of the reply in milliseconds, when it was sent and received, and the engine's clock at the origin.
        for (reply, sent, received, expected, reason) in [
            (5_000, 0, 10, 5_000, "the latest time it can be"),
            (5_100, 95, 101, 5_000, "within the bounds: 4999 to 5005"),
            (5_200, 201, 202, 4_999, "it was ahead"),
            (9_000, 300, 301, 8_699, "the clock was set forward"),
            (1_000, 400, 402, 600, "the clock was set back"),
            (9_050, 350, 403, 600, "overtaken by the one before"),
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
