//! Which readings of two clocks are steps.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

/// Advances a reading of 0 seconds by (seconds of the wall clock, of the monotonic clock) one after the other.
fn read(changes: &[(i64, u64)]) -> Time {
    let time = Time::without_steps(DateTime::UNIX_EPOCH);
    let start = Reading {
        time,
        last_step: Duration::ZERO,
    };
    let last = changes.iter().fold(start, |last, (wall, monotonic)| {
        let wall = last.time.wall + TimeDelta::seconds(*wall);
        last.advance(wall, last.time.monotonic + Duration::from_secs(*monotonic))
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

/// A clock that is set an hour forward by each of the first readings, with the number of the step in its microseconds.
#[derive(Debug, Default)]
struct SteppingClock(AtomicU32);

impl Clock for SteppingClock {
    fn now(&self) -> DateTime<Utc> {
        let steps = self.0.load(Ordering::SeqCst);
        DateTime::UNIX_EPOCH
            + TimeDelta::hours(steps.into())
            + TimeDelta::microseconds(steps.into())
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn reading_carries_the_steps_before_it_and_each_is_reported_once() {
    let clock = Arc::new(SteppingClock::default());
    let keeper = Timekeeper::new(Arc::clone(&clock) as _);
    let reported = AtomicU32::new(0);
    let read = || {
        let time = keeper.read(|_| {
            reported.fetch_add(1, Ordering::SeqCst);
        });
        // Several steps between two readings are one.
        assert!(time.steps <= time.wall.timestamp_subsec_micros());
        time.steps
    };
    assert_eq!(read(), 0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut before = 0;
                for _ in 0..1_000 {
                    clock.0.fetch_add(1, Ordering::SeqCst);
                    let steps = read();
                    assert!(steps >= before, "{steps} after {before}");
                    before = steps;
                }
            });
        }
    });
    assert_eq!(reported.load(Ordering::SeqCst), read());
}
