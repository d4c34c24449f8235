//! How much an adjustment leases, and what results of the ledger mean, case by case.

use super::super::ledger::Claim;
use super::*;

const LIMITS: RateLimits = RateLimits::new(60, 1000);
const NOON: i64 = 1_795_262_430;

fn windows(minute: (u64, u64), day: (u64, u64)) -> Windows {
    let mut windows = Windows::unused_at(NOON);
    (windows.minute.used, windows.minute.leased) = minute;
    (windows.day.used, windows.day.leased) = day;
    windows
}

fn adjustment_amounts(windows: &mut Windows, cost: u64) -> Vec<(Window, i64)> {
    let adjustments = compute_adjustments(7, windows, LIMITS, false, cost, cost);
    adjustments
        .iter()
        .map(|adjustment| (adjustment.window, adjustment.amount))
        .collect()
}

#[test]
fn lease_is_due_when_half_is_used_or_too_much_is_leased() {
    let cases = [
        ((0, 6), (0, 100), false, "both are full"),
        ((0, 4), (0, 51), false, "more than half is left"),
        ((0, 3), (0, 100), true, "half of the minute's is spent"),
        ((0, 6), (0, 50), true, "half of the day's is spent"),
        ((58, 2), (0, 100), false, "there is nothing more to lease"),
        ((0, 7), (0, 100), true, "too much is leased"),
    ];
    for (minute, day, due, reason) in cases {
        assert_eq!(
            is_adjustment_due(&windows(minute, day), LIMITS, false),
            due,
            "{reason}"
        );
    }
}

#[test]
fn adjustment_leases_a_tenth_within_the_limit() {
    use Window::{Day, Minute};
    let cases = [
        (
            (0, 0),
            (0, 0),
            1,
            vec![(Minute, 6), (Day, 100)],
            "the first",
        ),
        ((4, 2), (4, 96), 1, vec![(Minute, 4), (Day, 4)], "filled up"),
        (
            (58, 1),
            (958, 42),
            1,
            vec![(Minute, 1)],
            "no more than remains",
        ),
        (
            (0, 6),
            (0, 100),
            20,
            vec![(Minute, 14)],
            "enough for the cost",
        ),
        (
            (0, 30),
            (0, 100),
            1,
            vec![(Minute, -24)],
            "what is too much goes back",
        ),
    ];
    for (minute, day, cost, expected, reason) in cases {
        assert_eq!(
            adjustment_amounts(&mut windows(minute, day), cost),
            expected,
            "{reason}"
        );
    }
}

#[test]
fn lease_result_applies_to_its_own_window() {
    let start = Windows::unused_at(NOON).minute.start;
    let adjustment = Adjustment {
        amount: 4,
        leased: 2,
        used: 4,
        limit: 60,
        ..Adjustment::unchanged(7, Window::Minute, start)
    };
    let result = |start, claimed, granted| Adjusted::unshared(Claim { start, claimed }, granted);
    let cases = [
        (result(start, 10, 4), (start, 4, 6), "granted"),
        (
            result(start, 15, 4),
            (start, 9, 6),
            "some that nobody here holds was used",
        ),
        (result(start, 60, 0), (start, 58, 2), "nothing was left"),
        (
            result(start - 60, 10, 4),
            (start, 4, 2),
            "for a minute that is over",
        ),
    ];
    for (result, expected, reason) in cases {
        let mut windows = windows((4, 2), (0, 0));
        apply_lease_result(&mut windows, &adjustment, &result, &Now::at(NOON));
        let WindowUsage {
            start,
            used,
            leased,
            ..
        } = windows.minute;
        assert_eq!((start, used, leased), expected, "{reason}");
    }
}

#[test]
fn what_remains_never_rises_within_a_window() {
    let mut windows = windows((4, 2), (0, 0));
    let start = windows.minute.start;
    let adjustment = compute_adjustments(7, &mut windows, LIMITS, false, 1, 1)[0];
    // (claimed, granted, held by others), and (used, leased) afterwards.
    for ((claimed, granted, held), expected, reason) in [
        ((30, 4, 10), (14, 6), "others hold ten"),
        (
            (30, 0, 0),
            (24, 6),
            "they are gone, and their ten count as used",
        ),
        ((20, 0, 0), (24, 6), "one has returned its ten all the same"),
        ((40, 0, 0), (34, 6), "others use more"),
    ] {
        let adjusted = Adjusted {
            held,
            ..Adjusted::unshared(Claim { start, claimed }, granted)
        };
        apply_lease_result(&mut windows, &adjustment, &adjusted, &Now::at(NOON));
        let WindowUsage { used, leased, .. } = windows.minute;
        assert_eq!((used, leased), expected, "{reason}");
    }
}

#[test]
fn return_that_failed_counts_as_used_in_its_own_window() {
    let mut windows = windows((4, 6), (0, 0));
    let [minute, _] = return_all(7, &mut windows, NOON);
    let later = Adjustment {
        start: minute.start - 60,
        ..minute
    };
    for (adjustment, used) in [(later, 4), (minute, 10)] {
        forfeit(&mut windows, &adjustment);
        assert_eq!(windows.minute.used, used);
    }
}

#[test]
fn owed_requests_are_claimed_with_the_next_lease_and_stay_used() {
    let mut windows = windows((10, 0), (10, 100));
    windows.minute.charge(3);
    assert_eq!(adjustment_amounts(&mut windows, 1), [(Window::Minute, 9)]);
    // Two more, while the call is under way.
    windows.minute.charge(2);
    let adjustment = compute_adjustments(7, &mut windows, LIMITS, false, 1, 0)[0];
    // (claimed, granted) of the ledger, and (used, leased, owed) afterwards.
    let cases = [
        ((10 + 9, 9), (15, 4, 0), "all was granted"),
        ((10 + 4, 4), (15, 0, 1), "less than is owed"),
        (
            (30 + 9, 9),
            (35, 4, 0),
            "some that nobody here holds was used",
        ),
        ((60, 2), (60, 0, 0), "nothing is left to claim the rest of"),
    ];
    for ((claimed, granted), expected, reason) in cases {
        let start = windows.minute.start;
        let claim = Claim { start, claimed };
        let mut windows = windows;
        let adjusted = Adjusted::unshared(claim, granted);
        apply_lease_result(&mut windows, &adjustment, &adjusted, &Now::at(NOON));
        let WindowUsage {
            used, leased, owed, ..
        } = windows.minute;
        assert_eq!((used, leased, owed), expected, "{reason}");
    }
}

#[test]
fn key_that_leaves_memory_claims_what_it_owes() {
    let mut windows = windows((10, 2), (10, 100));
    windows.minute.charge(5);
    assert_eq!((windows.minute.used, windows.minute.owed), (15, 3));
    let amounts = return_all(7, &mut windows, NOON).map(|adjustment| adjustment.amount);
    assert_eq!(amounts, [3, -100]);
}
