//! Requests to a ledger to claim or return requests of a window, and its results.

use super::ban::Ban;
use super::now::Now;
use super::window::Window;

/// The requests of one window of a key that are used or leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The start of the window, in Unix seconds.
    pub start: i64,
    /// Requests that were used or are leased.
    pub claimed: u64,
}

/// A request to the ledger to lease more requests of the current window, or to return leased ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    /// The id of the key.
    pub key_id: i64,
    /// The window.
    pub window: Window,
    /// The start of the window, as far as the limiter knows. Requests are returned to no other.
    pub start: i64,
    /// Requests to claim; below 0, requests to return.
    pub amount: i64,
    /// Those of them that are needed now: they are owed, or a request waits for them. A ledger that is shared may grant
    /// fewer of the others.
    pub least: u64,
    /// Requests that are leased already, and stay so.
    pub leased: u64,
    /// The used requests of the window that the ledger must know: so a ledger that has lost some learns of them.
    pub used: u64,
    /// The limit of the window: no more than this is ever claimed.
    pub limit: u64,
    /// The time of the last request of the key in Unix seconds, if it is not the time of the adjustment.
    pub last_seen: Option<i64>,
}

impl Adjustment {
    /// An adjustment of a window without a limit that changes nothing.
    pub const fn unchanged(key_id: i64, window: Window, start: i64) -> Adjustment {
        Adjustment {
            key_id,
            window,
            start,
            amount: 0,
            least: 0,
            leased: 0,
            used: 0,
            limit: u64::MAX,
            last_seen: None,
        }
    }

    /// Makes the adjustment at `now` in a ledger that one server uses, which stores this claim of the window or of an earlier one.
    pub fn apply_to(&self, stored: Option<Claim>, now: &Now) -> Adjusted {
        let before = match stored {
            Some(claim) if now.current(self.window).contains(&claim.start) => claim.claimed,
            // The claims of an earlier window ended with it.
            Some(_) | None => 0,
        };
        let claim = Claim {
            start: now.start_of(self.window),
            claimed: self.apply(before),
        };
        Adjusted::unshared(claim, claim.claimed.saturating_sub(before))
    }

    /// The requests that the limiter has leased and not used after the adjustment, if so many were granted: those that were
    /// needed are used.
    pub fn leased_after(&self, granted: u64) -> u64 {
        self.leased + granted.saturating_sub(self.least)
    }

    /// The requests that are claimed of the window after the adjustment, if `before` were claimed before it.
    pub fn apply(&self, before: u64) -> u64 {
        let change = self.amount.unsigned_abs();
        if self.amount < 0 {
            before.saturating_sub(change)
        } else {
            before + change.min(self.limit.saturating_sub(before))
        }
    }
}

/// The ledger's result of an [`Adjustment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// What is claimed of the window that was current.
    pub claim: Claim,
    /// Requests that were claimed by this adjustment; 0 if requests were returned.
    pub granted: u64,
    /// Those of the claimed requests that other servers may not have used yet.
    pub held: u64,
    /// The ban of the key, if another server may have stored it.
    pub ban: Option<Ban>,
}

impl Adjusted {
    /// The result of a ledger that only this server uses.
    pub const fn unshared(claim: Claim, granted: u64) -> Adjusted {
        Adjusted {
            claim,
            granted,
            held: 0,
            ban: None,
        }
    }
}
