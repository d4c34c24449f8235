//! The source of time. The gate reads it once per request; limiter, keys and rules get the time as an argument.
//!
//! A *clock step* is a change of the wall clock by more than [`STEP`] that is not the passing of time: the clock was
//! set, by hand or by NTP. It shows as a difference between the wall clock and the monotonic clock.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The smallest change of the wall clock against the monotonic clock, since the last reading, that is a clock step.
/// Smaller ones happen when NTP slews the clock, and are followed.
pub const STEP: TimeDelta = TimeDelta::seconds(2);

/// How long steps forward count, see [`Time::without_steps_forward`].
pub(crate) const FORWARD_PERIOD: TimeDelta = TimeDelta::hours(24);

/// The longest time between the readings of two clocks that count as one reading.
const READING: Duration = Duration::from_millis(100);

/// A source of the current time: the clocks of the machine, or clocks that a test controls.
pub trait Clock: Debug + Send + Sync {
    /// The wall clock, which can be set.
    fn now(&self) -> DateTime<Utc>;

    /// The time since a moment that does not change. Nobody can set it, and it goes on while the machine is suspended.
    fn monotonic(&self) -> Duration;
}

/// The clocks of the machine, as a [`Clock`].
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

/// One reading of the clock. It carries what is known about clock steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// The wall clock.
    pub wall: DateTime<Utc>,
    /// The number of clock steps seen so far. Of two readings the one with more steps is the later one.
    pub steps: u32,
    /// The sum of these steps, above 0 if the clock was set forward.
    pub stepped: TimeDelta,
    /// How far steps of the last 24 hours have set the clock forward; 0 if they have set it back.
    forward: TimeDelta,
}

/// Reads a clock, and notices its steps.
#[derive(Debug)]
pub(crate) struct Timekeeper {
    clock: Arc<dyn Clock>,
    last: Mutex<Option<Reading>>,
}

/// The last reading of a [`Timekeeper`].
#[derive(Clone, Copy, Debug)]
struct Reading {
    time: Time,
    monotonic: Duration,
    /// When the last step was seen, by the monotonic clock.
    last_step: Duration,
}

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn monotonic(&self) -> Duration {
        #[cfg(target_os = "linux")]
        const MONOTONIC: ClockId = ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        const MONOTONIC: ClockId = ClockId::Monotonic;
        let Timespec { tv_sec, tv_nsec } = clock_gettime(MONOTONIC);
        // Neither is negative: the time began at the last boot.
        Duration::new(tv_sec.unsigned_abs(), tv_nsec.unsigned_abs() as u32)
    }
}

impl Time {
    /// A time by a clock that made no step.
    pub const fn without_steps(wall: DateTime<Utc>) -> Time {
        Time {
            wall,
            steps: 0,
            stepped: TimeDelta::zero(),
            forward: TimeDelta::zero(),
        }
    }

    /// The time at or before which something must have expired that was to last at most 24 hours: the wall clock without
    /// the steps forward of that time. So nothing expires early because the clock was set forward.
    pub fn without_steps_forward(&self) -> DateTime<Utc> {
        self.wall - self.forward
    }
}

impl Timekeeper {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Timekeeper {
        Timekeeper {
            clock,
            last: Mutex::new(None),
        }
    }

    /// Reads the clock. If it has made a step since the last reading, `on_step` gets the change.
    pub(crate) fn read(&self, on_step: impl FnOnce(TimeDelta)) -> Time {
        // Readings are made one after the other, as an older one would look like a step back.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (wall, monotonic) = self.read_both();
        let reading = match *last {
            Some(before) => before.advance(wall, monotonic),
            None => Reading {
                time: Time::without_steps(wall),
                monotonic,
                last_step: monotonic,
            },
        };
        let before = last
            .replace(reading)
            .map_or(TimeDelta::zero(), |it| it.time.stepped);
        drop(last);
        let change = reading.time.stepped - before;
        if !change.is_zero() {
            on_step(change);
        }
        reading.time
    }

    /// Reads both clocks, again if this thread was interrupted in between, which would look like a step.
    fn read_both(&self) -> (DateTime<Utc>, Duration) {
        loop {
            let before = self.clock.monotonic();
            let wall = self.clock.now();
            let monotonic = self.clock.monotonic();
            if monotonic.saturating_sub(before) <= READING {
                return (wall, monotonic);
            }
        }
    }
}

impl Reading {
    fn advance(self, wall: DateTime<Utc>, monotonic: Duration) -> Reading {
        let elapsed = TimeDelta::from_std(monotonic.saturating_sub(self.monotonic));
        let elapsed = elapsed.unwrap_or(TimeDelta::MAX);
        let change = (wall - self.time.wall) - elapsed;
        let mut time = Time { wall, ..self.time };
        let mut last_step = self.last_step;
        // A step lets records expire early only if they were stored before it.
        if TimeDelta::from_std(monotonic.saturating_sub(last_step))
            .is_ok_and(|it| it >= FORWARD_PERIOD)
        {
            time.forward = TimeDelta::zero();
        }
        if change.abs() > STEP {
            time.steps = time.steps.saturating_add(1);
            time.stepped += change;
            time.forward = (time.forward + change).max(TimeDelta::zero());
            last_step = monotonic;
        }
        Reading {
            time,
            monotonic,
            last_step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advances a reading of 0 seconds by (seconds of the wall clock, of the monotonic clock) one after the other.
    fn read(changes: &[(i64, u64)]) -> Time {
        let time = Time::without_steps(DateTime::UNIX_EPOCH);
        let start = Reading {
            time,
            monotonic: Duration::ZERO,
            last_step: Duration::ZERO,
        };
        let last = changes.iter().fold(start, |last, (wall, monotonic)| {
            let wall = last.time.wall + TimeDelta::seconds(*wall);
            last.advance(wall, last.monotonic + Duration::from_secs(*monotonic))
        });
        last.time
    }

    #[test]
    fn step_is_a_difference_of_more_than_two_seconds_between_the_clocks() {
        let cases: [(&[(i64, u64)], _, _); 7] = [
            (&[(5, 5), (86_400, 86_400)], 0, 0),
            (&[(12, 10); 100], 0, 0),
            (&[(-2, 0); 100], 0, 0),
            (&[(13, 10)], 1, 3),
            (&[(-3, 0)], 1, -3),
            (&[(86_400, 1), (-86_398, 1)], 2, 0),
            (&[(i64::from(i32::MAX), 1)], 1, i64::from(i32::MAX) - 1),
        ];
        for (changes, steps, stepped) in cases {
            let time = read(changes);
            assert_eq!(
                (time.steps, time.stepped.num_seconds()),
                (steps, stepped),
                "{changes:?}"
            );
        }
    }

    #[test]
    fn steps_forward_count_for_24_hours() {
        let cases: [(&[(i64, u64)], _); 6] = [
            (&[(3_600, 0)], 3_600),
            (&[(-3_600, 0)], 0),
            (&[(-3_600, 0), (3_600, 0)], 3_600),
            (&[(3_600, 0), (-600, 0)], 3_000),
            (&[(3_600, 0), (86_399, 86_399)], 3_600),
            (&[(3_600, 0), (86_400, 86_400)], 0),
        ];
        for (changes, forward) in cases {
            let time = read(changes);
            let seconds = (time.wall - time.without_steps_forward()).num_seconds();
            assert_eq!(seconds, forward, "{changes:?}");
        }
    }
}
