//! The arithmetic of leases: how much to lease in advance, and what the ledger's result means for the windows. No I/O.

use spec_runtime::RateLimits;

use super::credit::credit;
use super::ledger::{Adjusted, Adjustment};
use super::now::Now;
use super::usage::{WindowUsage, Windows};
use super::window::Window;

/// The part of a limit that one lease takes: the limit divided by this, but at least 1 request.
const LEASE_DIVISOR: u64 = 10;

/// The largest lease, in requests. A crash can cost a key as much; it is far more than a key uses while the next lease
/// is under way.
const MAX_LEASE: u64 = 1_000;

/// Whether a request of this cost can be charged to the leases of both windows, or to the credit of the key in a window.
#[inline]
pub(super) fn covers(windows: &Windows, limits: RateLimits, gives_credit: bool, cost: u64) -> bool {
    Window::ALL.into_iter().all(|window| {
        let (usage, limit) = (windows.get(window), window.limit_in(limits));
        let is_leased = usage.leased >= cost;
        is_leased || (gives_credit && rest(window, usage, limit) >= cost)
    })
}

/// Whether the leases of a key should be adjusted: at most half of one is left, or a quarter of the credit; or one is too
/// large since the limit was lowered.
#[inline]
pub(super) fn is_refill_due(windows: &Windows, limits: RateLimits, gives_credit: bool) -> bool {
    Window::ALL.into_iter().any(|window| {
        let (usage, limit) = (windows.get(window), window.limit_in(limits));
        if is_on_credit(window, usage, limit, gives_credit) {
            return is_claim_due_in(window, usage, limit, gives_credit);
        }
        // Every request comes here, so this multiplies where `lease_size` divides: down to half a
        // lease, and beyond a whole one.
        let scaled = usage.leased.saturating_mul(LEASE_DIVISOR);
        let capped = usage.lease_cap.saturating_mul(LEASE_DIVISOR);
        let leasable = leasable_limit(limit).min(capped);
        // A single request is leased when it is needed, as other servers need it, too.
        let runs_low = scaled.saturating_mul(2) <= leasable || usage.leased == 0;
        let runs_low = runs_low && usage.lease_cap > 1;
        let is_excess = scaled > leasable && usage.leased > 1;
        is_excess || (runs_low && usage.leased < usage.remaining(limit))
    })
}

/// Whether the ledger should know the requests that were admitted without a lease: no more of the window remain, or most
/// of the credit is spent.
pub(super) fn is_claim_due(windows: &Windows, limits: RateLimits, gives_credit: bool) -> bool {
    Window::ALL.into_iter().any(|window| {
        let (usage, limit) = (windows.get(window), window.limit_in(limits));
        is_claim_due_in(window, usage, limit, gives_credit)
    })
}

/// Whether requests were admitted without a lease that the ledger does not know yet.
pub(super) fn owes(windows: &Windows) -> bool {
    windows.minute.owed > 0 || windows.day.owed > 0
}

/// Computes the adjustments that bring the leases of both windows to their normal size, and to at least `cost`; a request
/// waits for `needed` of them. They claim what is owed as well. A window without a lease stays so while its credit suffices.
/// Requests to be returned are taken out of the lease at once, so that they cannot be used meanwhile.
pub(super) fn refill(
    key_id: i64,
    windows: &mut Windows,
    limits: RateLimits,
    gives_credit: bool,
    cost: u64,
    needed: u64,
) -> Vec<Adjustment> {
    let adjustments = Window::ALL.map(|window| {
        let (usage, limit) = (windows.get_mut(window), window.limit_in(limits));
        let stays = is_on_credit(window, usage, limit, gives_credit)
            && !is_claim_due_in(window, usage, limit, gives_credit)
            && rest(window, usage, limit) >= cost;
        let target = lease_size(limit).max(cost).min(usage.remaining(limit));
        let needed = needed.saturating_sub(usage.leased);
        (!stays).then(|| Adjustment {
            least: usage.owed.saturating_add(needed),
            ..adjust_to(key_id, window, usage, target, limit)
        })
    });
    adjustments
        .into_iter()
        .flatten()
        .filter(|adjustment| adjustment.amount != 0)
        .collect()
}

/// Computes the adjustments that return all leased requests of a key, and claim what is owed. They include a window
/// without a lease: so the ledger knows that the key was in it. `last_seen` is in Unix seconds.
pub(super) fn return_all(key_id: i64, windows: &mut Windows, last_seen: i64) -> [Adjustment; 2] {
    Window::ALL.map(|window| Adjustment {
        last_seen: Some(last_seen),
        ..adjust_to(key_id, window, windows.get_mut(window), 0, u64::MAX)
    })
}

/// Computes the adjustment that returns what is leased of one window, and claims what is owed.
pub(super) fn give_back(key_id: i64, windows: &mut Windows, window: Window) -> Adjustment {
    adjust_to(key_id, window, windows.get_mut(window), 0, u64::MAX)
}

/// Whether the key spends its credit in a window, as it has no lease.
fn is_on_credit(window: Window, usage: &WindowUsage, limit: u64, gives_credit: bool) -> bool {
    gives_credit && usage.leased == 0 && credit(window, usage, limit) > 0
}

fn is_claim_due_in(window: Window, usage: &WindowUsage, limit: u64, gives_credit: bool) -> bool {
    let credit = if gives_credit {
        credit(window, usage, limit)
    } else {
        0
    };
    let is_short = usage.owed.saturating_mul(4) >= credit * 3 || usage.remaining(limit) == 0;
    usage.owed > 0 && is_short
}

/// The requests that a key may spend in a window without asking the ledger, if it may spend its credit.
fn rest(window: Window, usage: &WindowUsage, limit: u64) -> u64 {
    let credit = credit(window, usage, limit);
    usage
        .leased
        .saturating_add(credit.saturating_sub(usage.owed))
}

fn adjust_to(
    key_id: i64,
    window: Window,
    usage: &mut WindowUsage,
    target: u64,
    limit: u64,
) -> Adjustment {
    let wanted = to_signed(target.saturating_add(usage.owed));
    let amount = wanted.saturating_sub(to_signed(usage.leased));
    usage.leased = usage.leased.min(target);
    Adjustment {
        key_id,
        window,
        start: usage.start,
        amount,
        least: usage.owed,
        leased: usage.leased,
        used: usage.used.saturating_sub(usage.owed + usage.lost),
        // What was lost is used, though the ledger does not know it.
        limit: limit.saturating_sub(usage.lost),
        last_seen: None,
    }
}

/// Applies the ledger's result of an adjustment to the windows of the key, which are those of `now`. Requests that are
/// claimed but not leased here count as used, for example by a process that crashed.
pub(super) fn apply_lease_result(
    windows: &mut Windows,
    adjustment: &Adjustment,
    adjusted: &Adjusted,
    now: &Now,
) {
    let usage = windows.get_mut(adjustment.window);
    let claim = adjusted.claim;
    if now.current(adjustment.window).contains(&claim.start) {
        let leased = usage.leased.saturating_add(adjusted.granted);
        let paid = leased.min(usage.owed);
        usage.owed = if claim.claimed < adjustment.limit {
            usage.owed - paid
        } else {
            // The window is exhausted, so nothing is left that the rest could be claimed of.
            0
        };
        usage.leased = (leased - paid).min(claim.claimed);
        // Other servers may give back what they have not used.
        let unused = usage.leased.saturating_add(adjusted.held);
        let used = claim.claimed.saturating_sub(unused) + usage.owed + usage.lost;
        // Another server may return what had counted as used. This one leaves it to others, so that what remains in its
        // responses never rises within a window.
        usage.used = usage.used.max(used);
        usage.lease_cap = if to_signed(adjusted.granted) < adjustment.amount {
            usage.leased.max(1)
        } else {
            u64::MAX
        };
    }
}

/// Counts requests as used whose return to the ledger failed, as the ledger still holds them as claimed, unless their window
/// has ended meanwhile.
pub(super) fn forfeit(windows: &mut Windows, adjustment: &Adjustment) {
    let usage = windows.get_mut(adjustment.window);
    if adjustment.amount < 0 && adjustment.start == usage.start {
        usage.used = usage.used.saturating_add(adjustment.amount.unsigned_abs());
    }
}

/// The number of requests that one lease of a window with this limit holds.
fn lease_size(limit: u64) -> u64 {
    (leasable_limit(limit) / LEASE_DIVISOR).max(1)
}

/// The limit from which the size of a lease is computed: capped so that a lease is at most [`MAX_LEASE`].
#[inline]
fn leasable_limit(limit: u64) -> u64 {
    limit.min(MAX_LEASE * LEASE_DIVISOR)
}

fn to_signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Claim;
    use super::*;

    const LIMITS: RateLimits = RateLimits {
        per_minute: 60,
        per_day: 1000,
    };
    const NOON: i64 = 1_795_262_430;

    fn windows(minute: (u64, u64), day: (u64, u64)) -> Windows {
        let mut windows = Windows::unused_at(NOON);
        (windows.minute.used, windows.minute.leased) = minute;
        (windows.day.used, windows.day.leased) = day;
        windows
    }

    fn refill_amounts(windows: &mut Windows, cost: u64) -> Vec<(Window, i64)> {
        let adjustments = refill(7, windows, LIMITS, false, cost, cost);
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
                is_refill_due(&windows(minute, day), LIMITS, false),
                due,
                "{reason}"
            );
        }
    }

    #[test]
    fn refill_leases_a_tenth_within_the_limit() {
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
                refill_amounts(&mut windows(minute, day), cost),
                expected,
                "{reason}"
            );
        }
    }

    #[test]
    fn returned_requests_leave_the_lease_at_once() {
        let mut windows = windows((0, 30), (0, 100));
        refill_amounts(&mut windows, 1);
        assert_eq!(windows.minute.leased, 6);
        let given_back = return_all(7, &mut windows, NOON);
        assert_eq!((windows.minute.leased, windows.day.leased), (0, 0));
        assert_eq!(given_back.map(|back| back.amount), [-6, -100]);
    }

    #[test]
    fn lease_result_applies_to_its_own_window() {
        let start = Windows::unused_at(NOON).minute.start;
        let adjustment = Adjustment {
            key_id: 7,
            window: Window::Minute,
            start,
            amount: 4,
            least: 0,
            leased: 2,
            used: 4,
            limit: 60,
            last_seen: None,
        };
        let result =
            |start, claimed, granted| Adjusted::unshared(Claim { start, claimed }, granted);
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
        let adjustment = refill(7, &mut windows, LIMITS, false, 1, 1)[0];
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
        assert_eq!(refill_amounts(&mut windows, 1), [(Window::Minute, 9)]);
        // Two more, while the call is under way.
        windows.minute.charge(2);
        let adjustment = refill(7, &mut windows, LIMITS, false, 1, 0)[0];
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
}
