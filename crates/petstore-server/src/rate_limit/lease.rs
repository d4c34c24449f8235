//! The arithmetic of leases: how much to claim ahead, and what a claim's answer means. It neither asks the store nor
//! waits.

use super::ledger::{Adjusted, Adjustment};
use super::policy::Policy;
use super::window::{Limits, Usage, Window, Windows};

/// Whether so little is left of a lease that the next one should be under way, or more than may be, since the limit
/// was lowered.
#[inline]
pub(super) fn is_due(windows: &Windows, limits: Limits, policy: &Policy) -> bool {
    Window::ALL.into_iter().any(|window| {
        let (usage, limit) = (windows.of(window), limits.of(window));
        // Every request comes by here, so this multiplies where `Policy::block` divides: down to half a block, and
        // beyond a whole one.
        let scaled = usage.leased.saturating_mul(policy.lease_parts);
        let runs_low = scaled.saturating_mul(2) <= limit || usage.leased == 0;
        let is_excess = scaled > limit && usage.leased > 1;
        is_excess || (runs_low && usage.leased < usage.remaining(limit))
    })
}

/// What brings both leases to a block, and to no less than `cost`. What is to be given back is taken out of the lease
/// at once, so that it cannot be spent meanwhile.
pub(super) fn refill(
    key_id: i64,
    windows: &mut Windows,
    limits: Limits,
    policy: &Policy,
    cost: u64,
) -> Vec<Adjustment> {
    let wishes = Window::ALL.map(|window| {
        let (usage, limit) = (windows.of_mut(window), limits.of(window));
        let target = policy.block(limit).max(cost).min(usage.remaining(limit));
        adjustment(key_id, window, usage, target, limit)
    });
    wishes.into_iter().filter(|wish| wish.amount != 0).collect()
}

/// What gives back all that is leased. A window of which nothing was leased is named too: once it is kept that the key
/// was in it, an earlier one cannot be opened again.
pub(super) fn return_all(key_id: i64, windows: &mut Windows) -> [Adjustment; 2] {
    Window::ALL.map(|window| adjustment(key_id, window, windows.of_mut(window), 0, u64::MAX))
}

fn adjustment(
    key_id: i64,
    window: Window,
    usage: &mut Usage,
    target: u64,
    limit: u64,
) -> Adjustment {
    let amount = signed(target).saturating_sub(signed(usage.leased));
    usage.leased = usage.leased.min(target);
    Adjustment {
        key_id,
        window,
        start: usage.start,
        amount,
        limit,
    }
}

/// Takes the answer over. What is claimed and not leased here was used, by a process that crashed if by nobody else.
pub(super) fn settle(windows: &mut Windows, adjustment: &Adjustment, adjusted: &Adjusted) {
    let usage = windows.of_mut(adjustment.window);
    let held = adjusted.held;
    if held.start > usage.start {
        *usage = Usage {
            start: held.start,
            used: held.claimed,
            leased: 0,
        };
    } else if held.start == usage.start {
        usage.leased = usage
            .leased
            .saturating_add(adjusted.granted)
            .min(held.claimed);
        usage.used = held.claimed - usage.leased;
    }
}

/// What was to be given back and could not be is lost to the window, as after a crash.
pub(super) fn forfeit(windows: &mut Windows, adjustment: &Adjustment) {
    let usage = windows.of_mut(adjustment.window);
    if adjustment.amount < 0 && usage.start == adjustment.start {
        usage.used = usage.used.saturating_add(adjustment.amount.unsigned_abs());
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Held;
    use super::*;

    const LIMITS: Limits = Limits {
        per_minute: 60,
        per_day: 1000,
    };
    const NOON: i64 = 1_795_262_430;

    fn policy() -> Policy {
        Policy::new(LIMITS)
    }

    fn windows(minute: (u64, u64), day: (u64, u64)) -> Windows {
        let mut windows = Windows::at(NOON);
        (windows.minute.used, windows.minute.leased) = minute;
        (windows.day.used, windows.day.leased) = day;
        windows
    }

    fn amounts(windows: &mut Windows, cost: u64) -> Vec<(Window, i64)> {
        let adjustments = refill(7, windows, LIMITS, &policy(), cost);
        adjustments
            .iter()
            .map(|adjustment| (adjustment.window, adjustment.amount))
            .collect()
    }

    #[test]
    fn a_lease_is_due_ahead_of_need() {
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
                is_due(&windows(minute, day), LIMITS, &policy()),
                due,
                "{reason}"
            );
        }
    }

    #[test]
    fn a_lease_is_a_tenth_and_never_beyond_the_limit() {
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
                amounts(&mut windows(minute, day), cost),
                expected,
                "{reason}"
            );
        }
    }

    #[test]
    fn what_goes_back_cannot_be_spent_meanwhile() {
        let mut windows = windows((0, 30), (0, 100));
        amounts(&mut windows, 1);
        assert_eq!(windows.minute.leased, 6);
        let given_back = return_all(7, &mut windows);
        assert_eq!((windows.minute.leased, windows.day.leased), (0, 0));
        assert_eq!(given_back.map(|back| back.amount), [-6, -100]);
    }

    #[test]
    fn an_answer_is_taken_over_by_the_window_it_is_about() {
        let start = Windows::at(NOON).minute.start;
        let asked = Adjustment {
            key_id: 7,
            window: Window::Minute,
            start,
            amount: 4,
            limit: 60,
        };
        let answer = |start, claimed, granted| Adjusted {
            held: Held { start, claimed },
            granted,
        };
        let cases = [
            (answer(start, 10, 4), (start, 4, 6), "granted"),
            (
                answer(start, 15, 4),
                (start, 9, 6),
                "some that nobody here holds was used",
            ),
            (answer(start, 60, 0), (start, 58, 2), "nothing was left"),
            (
                answer(start - 60, 10, 4),
                (start, 4, 2),
                "for a minute that is over",
            ),
            (
                answer(start + 60, 9, 0),
                (start + 60, 9, 0),
                "a later minute is kept",
            ),
        ];
        for (answer, expected, reason) in cases {
            let mut windows = windows((4, 2), (0, 0));
            settle(&mut windows, &asked, &answer);
            let Usage {
                start,
                used,
                leased,
            } = windows.minute;
            assert_eq!((start, used, leased), expected, "{reason}");
        }
    }
}
