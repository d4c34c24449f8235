//! The arithmetic of leases: how much to lease in advance, and what the ledger's result means for the windows. No I/O.
//!
//! What it is for: ledger calls for the requests of a busy key (benchmark `parts`, row `leases`).

use super::credit::credit;
use super::ledger::{Adjusted, Adjustment};
use super::now::Now;
use super::usage::{WindowUsage, Windows};
use super::window::Window;
use crate::RateLimits;

/// The part of a limit that one lease takes: the limit divided by this, but at least 1 request.
const LEASE_DIVISOR: u64 = 10;

/// The largest lease, in requests. A crash can cost a key as much; it is far more than a key uses while the next lease
/// is under way. With a tenth of it, the commits of leases, after which readers of SQLite forget their pages, took 8 % of the
/// throughput of one busy key (benchmark `side-by-side`).
const MAX_LEASE: u64 = 10_000;

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
pub(super) fn is_adjustment_due(windows: &Windows, limits: RateLimits, gives_credit: bool) -> bool {
    Window::ALL.into_iter().any(|window| {
        let (usage, limit) = (windows.get(window), window.limit_in(limits));
        if is_on_credit(window, usage, limit, gives_credit) {
            return must_claim_owed_in(window, usage, limit, gives_credit);
        }
        let size = lease_size(limit).min(usage.lease_cap);
        // A single request is leased when it is needed, as other servers need it, too.
        let runs_low = usage.leased <= size / 2 && usage.lease_cap > 1;
        let is_excess = usage.leased > size && usage.leased > 1;
        is_excess || (runs_low && usage.leased < usage.remaining(limit))
    })
}

/// Whether the ledger should know the requests that were admitted without a lease: no more of the window remain, or most
/// of the credit is spent.
pub(super) fn must_claim_owed(windows: &Windows, limits: RateLimits, gives_credit: bool) -> bool {
    Window::ALL.into_iter().any(|window| {
        let (usage, limit) = (windows.get(window), window.limit_in(limits));
        must_claim_owed_in(window, usage, limit, gives_credit)
    })
}

/// Whether requests were admitted without a lease that the ledger does not know yet.
pub(super) fn owes(windows: &Windows) -> bool {
    windows.minute.owed > 0 || windows.day.owed > 0
}

/// Computes the adjustments that bring the leases of both windows to their normal size, and to at least `cost`; a request
/// waits for `needed` of them. They claim what is owed as well. A window without a lease stays so while its credit suffices.
/// Requests to be returned are taken out of the lease at once, so that they cannot be used meanwhile.
pub(super) fn compute_adjustments(
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
            && !must_claim_owed_in(window, usage, limit, gives_credit)
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

fn must_claim_owed_in(window: Window, usage: &WindowUsage, limit: u64, gives_credit: bool) -> bool {
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
        amount,
        least: usage.owed,
        leased: usage.leased,
        used: usage.used.saturating_sub(usage.owed + usage.lost),
        // What was lost is used, though the ledger does not know it.
        limit: limit.saturating_sub(usage.lost),
        ..Adjustment::unchanged(key_id, window, usage.start)
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
#[inline]
fn lease_size(limit: u64) -> u64 {
    (limit / LEASE_DIVISOR).clamp(1, MAX_LEASE)
}

fn to_signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
