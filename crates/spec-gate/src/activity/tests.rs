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

fn total(counts: &[(Subject, Count)]) -> u64 {
    counts.iter().map(|(_, count)| count.requests).sum()
}

#[test]
fn requests_are_counted_for_an_hour_and_for_a_day() {
    let activity = Activity::default();
    let ok = subject(Sender::Anonymous, 200);
    for (at, milliseconds) in [(NOON, 1), (NOON + 30, 3), (NOON + 60, 2)] {
        activity.count(ok, Duration::from_millis(milliseconds), at);
    }
    let expected = Count {
        requests: 3,
        time: Duration::from_millis(6),
        longest: Duration::from_millis(3),
    };
    for period in [Period::Hour, Period::Day] {
        assert_eq!(activity.counts(period, NOON + 60), [(ok, expected)]);
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
        assert_eq!(
            total(&activity.counts(Period::Hour, now)),
            in_hour,
            "{later}"
        );
        assert_eq!(total(&activity.counts(Period::Day, now)), in_day, "{later}");
    }
}

#[test]
fn minutes_have_all_requests_and_the_failed_ones() {
    let activity = Activity::default();
    for (status, at) in [(200, NOON), (500, NOON), (404, NOON + 120)] {
        activity.count(subject(key(1), status), Duration::ZERO, at);
    }
    let minutes = activity.minutes(NOON + 120);
    assert_eq!(minutes.len(), 60);
    assert_eq!(minutes[57..], [[2, 1], [0, 0], [1, 0]]);
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
    let slots = activity.lock();
    assert!(slots.minutes.len() < 60 && slots.hours.len() <= 24);
    let mut all = slots
        .minutes
        .iter()
        .chain(&slots.hours)
        .map(|(_, it)| it.len());
    assert!(all.all(|len| len <= MAX_COUNTS + 1));
    assert_eq!(slots.current.len(), MAX_COUNTS + 1);
    assert_eq!(slots.current[&subject(Sender::Other, 200)].requests, 50);
}

#[test]
fn clock_that_is_set_back_loses_no_request() {
    let activity = Activity::default();
    for at in [NOON, NOON - 600, NOON] {
        activity.count(subject(key(1), 200), Duration::ZERO, at);
    }
    assert_eq!(total(&activity.counts(Period::Hour, NOON)), 3);
}
