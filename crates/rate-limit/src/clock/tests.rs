//! Which readings of two clocks are steps.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

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

/// A clock that stands still except for its steps, an hour forward and back in turns. Each adds a microsecond, so that a
/// reading tells how many there were.
#[derive(Debug, Default)]
struct TurningClock(AtomicU32);

impl TurningClock {
    fn steps_before(wall: DateTime<Utc>) -> u32 {
        wall.timestamp_subsec_micros()
    }
}

impl Clock for TurningClock {
    fn now(&self) -> DateTime<Utc> {
        // Gives others the time to make a step between the readings of both clocks.
        std::thread::yield_now();
        let steps = self.0.load(Ordering::SeqCst);
        let hours = TimeDelta::hours((steps % 2).into());
        DateTime::UNIX_EPOCH + hours + TimeDelta::microseconds(steps.into())
    }

    fn monotonic(&self) -> Duration {
        std::thread::yield_now();
        Duration::ZERO
    }
}

#[test]
fn reading_carries_the_steps_before_it_while_other_threads_read() {
    const STEPS: u32 = 2_000;
    let clock = Arc::new(TurningClock::default());
    let keeper = Timekeeper::new(Arc::clone(&clock) as _);
    let (ended, seen) = (AtomicBool::new(false), AtomicU32::new(0));
    let check = |noticed: &AtomicU32| {
        let before = noticed.load(Ordering::SeqCst);
        let time = keeper.read(|_| {
            seen.fetch_add(1, Ordering::SeqCst);
        });
        assert_eq!(time.steps, TurningClock::steps_before(time.wall));
        assert!(time.steps >= before, "{} after {before}", time.steps);
        noticed.fetch_max(time.steps, Ordering::SeqCst);
    };
    let noticed = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !ended.load(Ordering::SeqCst) {
                    check(&noticed);
                }
            });
        }
        check(&noticed);
        for _ in 0..STEPS {
            clock.0.fetch_add(1, Ordering::SeqCst);
            check(&noticed);
        }
        ended.store(true, Ordering::SeqCst);
    });
    assert_eq!(seen.into_inner(), STEPS, "each step is reported once");
}

#[test]
fn reading_that_needs_no_examination_is_that_of_an_examination() {
    let start = Reading {
        time: Time::without_steps(DateTime::UNIX_EPOCH),
        last_step: Duration::ZERO,
    };
    let stepped = start.advance(
        DateTime::UNIX_EPOCH + TimeDelta::hours(1),
        Duration::from_secs(1),
    );
    // Milliseconds of the monotonic clock since the step, and those that the wall clock is ahead of it.
    let cases = [
        (0, 0, true),
        (86_399_999, 100, true),
        (5, -100, true),
        (5, 101, false),
        (5, -101, false),
        (5, 3_600_000, false),
        (86_400_000, 0, false),
    ];
    for (elapsed, ahead, follows) in cases {
        let monotonic = stepped.time.monotonic + Duration::from_millis(elapsed);
        let wall = stepped.time.wall
            + TimeDelta::milliseconds(ahead)
            + TimeDelta::from_std(monotonic - stepped.time.monotonic).unwrap_or_default();
        let followed = stepped.follow(wall, monotonic);
        let examined = stepped.advance(wall, monotonic).time;
        assert_eq!(followed, follows.then_some(examined), "{elapsed} {ahead}");
    }
}
