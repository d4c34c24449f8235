//! The source of time. The gate reads it once per request; limiter, keys and rules get the time as an argument.
//!
//! A *clock step* is a change of the wall clock by more than [`STEP`] that is not the passing of time: the clock was
//! set, by hand or by NTP. It shows as a difference between the wall clock and the monotonic clock.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The smallest change of the wall clock against the monotonic clock, since the last reading, that is a clock step.
/// Smaller ones happen when NTP slews the clock, and are followed.
pub const STEP: TimeDelta = TimeDelta::seconds(2);

/// How long steps forward count, see [`Time::without_steps_forward`].
pub const FORWARD_PERIOD: TimeDelta = TimeDelta::hours(24);

/// The longest time between the readings of two clocks that count as one reading.
const READING: Duration = Duration::from_millis(100);

/// A source of the current time: the clocks of the machine, or clocks that a test controls.
pub trait Clock: Debug + Send + Sync {
    /// The wall clock, which can be set.
    fn now(&self) -> DateTime<Utc>;

    /// The time since a moment that does not change. Nobody can set it, and it goes on while the machine is suspended.
    fn monotonic(&self) -> Duration;

    /// How far the wall clock of this machine is ahead of [`Clock::now`], which may be that of another one.
    fn lead_of_machine(&self) -> TimeDelta {
        TimeDelta::zero()
    }
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
    monotonic: Duration,
}

/// Reads a clock, and notices its steps.
#[derive(Debug)]
pub struct Timekeeper {
    clock: Arc<dyn Clock>,
    last: Mutex<Option<Reading>>,
}

/// A reading of a [`Timekeeper`].
#[derive(Clone, Copy, Debug)]
struct Reading {
    time: Time,
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
            monotonic: Duration::ZERO,
        }
    }

    /// The time at or before which something must have expired that was to last at most 24 hours: the wall clock without
    /// the steps forward of that time. So nothing expires early because the clock was set forward.
    pub fn without_steps_forward(&self) -> DateTime<Utc> {
        self.wall - self.forward
    }
}

impl Timekeeper {
    /// A keeper that has read `clock` not yet.
    pub fn new(clock: Arc<dyn Clock>) -> Timekeeper {
        Timekeeper {
            clock,
            last: Mutex::new(None),
        }
    }

    /// Reads the clock. If it has made a step since the last reading, `on_step` gets the change.
    pub fn read(&self, on_step: impl FnOnce(TimeDelta)) -> Time {
        // Under the lock, so that a reading never belongs to another number of steps than it carries.
        let mut last = self.last.lock();
        let (monotonic, wall) = (self.clock.monotonic(), self.clock.now());
        let before = *last.get_or_insert(Reading {
            time: Time {
                monotonic,
                ..Time::without_steps(wall)
            },
            last_step: monotonic,
        });
        let (wall, monotonic) = if before.change(wall, monotonic).abs() > STEP {
            self.read_both()
        } else {
            (wall, monotonic)
        };
        let reading = before.advance(wall, monotonic);
        *last = Some(reading);
        drop(last);
        let change = reading.time.stepped - before.time.stepped;
        if !change.is_zero() {
            on_step(change);
        }
        reading.time
    }

    /// The time since an earlier reading.
    pub fn elapsed_since(&self, time: &Time) -> Duration {
        self.clock.monotonic().saturating_sub(time.monotonic)
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
    /// A later reading, examined for a step.
    fn advance(self, wall: DateTime<Utc>, monotonic: Duration) -> Reading {
        let change = self.change(wall, monotonic);
        let mut time = Time {
            wall,
            monotonic,
            ..self.time
        };
        let mut last_step = self.last_step;
        // A step lets records expire early only if they were stored before it.
        if !time.forward.is_zero() {
            let since_step = TimeDelta::from_std(monotonic.saturating_sub(last_step));
            if since_step.is_ok_and(|it| it >= FORWARD_PERIOD) {
                time.forward = TimeDelta::zero();
            }
        }
        if change.abs() > STEP {
            time.steps = time.steps.saturating_add(1);
            time.stepped += change;
            time.forward = (time.forward + change).max(TimeDelta::zero());
            last_step = monotonic;
        }
        Reading { time, last_step }
    }

    /// How far the wall clock has moved against the monotonic clock at a later reading.
    fn change(&self, wall: DateTime<Utc>, monotonic: Duration) -> TimeDelta {
        let elapsed = TimeDelta::from_std(monotonic.saturating_sub(self.time.monotonic));
        (wall - self.time.wall) - elapsed.unwrap_or(TimeDelta::MAX)
    }
}

#[cfg(test)]
mod tests;
