//! Tests of `activity`.

use super::*;

const NOON: i64 = 1_800_000_000 / HOUR * HOUR;

fn subject(key: Sender, status: u16) -> Subject {
    Subject {
        operation: "listPets",
        status,
        key,
    }
}

fn key(number: usize) -> Sender {
    Sender::Key(KeyPrefix::new(&format!("pst_{number:04}")))
}

fn total(activity: &Activity, period: Period, now: i64) -> u64 {
    let counts = activity.summary(period, now).counts;
    counts.iter().map(|(_, count)| count).sum()
}

#[test]
fn requests_are_counted_for_an_hour_and_for_a_day() {
    let activity = Activity::default();
    let ok = subject(Sender::Anonymous, 200);
    for (at, milliseconds) in [(NOON, 1), (NOON + 30, 3), (NOON + 60, 2)] {
        activity.count(ok, Duration::from_millis(milliseconds), at);
    }
    for period in [Period::Hour, Period::Day] {
        let summary = activity.summary(period, NOON + 60);
        assert_eq!(summary.counts, [(ok, 3)]);
        let [(operation, latencies)] = &summary.latencies[..] else {
            panic!("{:?}", summary.latencies);
        };
        assert_eq!((*operation, latencies.requests()), ("listPets", 3));
        assert_eq!(latencies.mean(), Duration::from_millis(2));
        assert_eq!(latencies.longest(), Duration::from_millis(3));
    }
    let rows = [
        (59 * MINUTE, 3, 3),
        (60 * MINUTE, 1, 3),
        (61 * MINUTE, 0, 3),
        (23 * HOUR, 0, 3),
        (24 * HOUR, 0, 0),
    ];
    for (later, in_hour, in_day) in rows {
        let now = NOON + later;
        assert_eq!(total(&activity, Period::Hour, now), in_hour, "{later}");
        assert_eq!(total(&activity, Period::Day, now), in_day, "{later}");
    }
}

#[test]
fn slots_have_the_requests_by_the_class_of_their_status() {
    let activity = Activity::default();
    for (status, at) in [(200, NOON), (500, NOON), (304, NOON), (404, NOON + 120)] {
        activity.count(subject(key(1), status), Duration::ZERO, at);
    }
    let hour = activity.summary(Period::Hour, NOON + 120);
    assert_eq!((hour.start, hour.step), (NOON + 120 - 59 * MINUTE, MINUTE));
    assert_eq!(hour.slots.len(), 60);
    assert_eq!(hour.slots[57..], [[2, 0, 1], [0; 3], [0, 1, 0]]);
    let day = activity.summary(Period::Day, NOON + HOUR);
    assert_eq!((day.start, day.step), (NOON - 22 * HOUR, HOUR));
    assert_eq!(day.slots.len(), 24);
    assert_eq!(day.slots[21..], [[0; 3], [2, 1, 1], [0; 3]]);
}

#[test]
fn memory_is_bounded_whatever_keys_and_times_there_are() {
    let activity = Activity::default();
    for minute in 0..2000 {
        for number in 0..MAX_COUNTS + 50 {
            let at = NOON + minute * MINUTE;
            activity.count(subject(key(number), 200), Duration::ZERO, at);
            if minute > 0 && number > 3 && minute != 1999 {
                break;
            }
        }
    }
    let slots = activity.0.lock();
    assert!(slots.minutes.len() < 60 && slots.hours.len() <= 24);
    let past = slots.minutes.iter().chain(&slots.hours);
    let mut past = past.map(|(_, slot)| slot);
    assert!(past.all(|it| it.counts.len() <= MAX_COUNTS + 1 && it.latencies.len() == 1));
    let current = &slots.current.counts;
    assert_eq!(current.len(), MAX_COUNTS + 1);
    assert_eq!(current[&subject(Sender::Other, 200)], 50);
}

#[test]
fn clock_that_is_set_back_loses_no_request() {
    let activity = Activity::default();
    for at in [NOON, NOON - 600, NOON] {
        activity.count(subject(key(1), 200), Duration::ZERO, at);
    }
    assert_eq!(total(&activity, Period::Hour, NOON), 3);
    let earlier = activity.summary(Period::Hour, NOON - 300);
    assert_eq!(earlier.slots.iter().flatten().sum::<u64>(), 3);
}
