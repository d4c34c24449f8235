//! The decision on one request of one key: a pure function of the key's state, its limits, the time and the cost.
//! No I/O, no clock, no lock.

use sha2::{Digest, Sha256};

use super::ban::{Ban, RecentRefusals};
use super::decision::Outcome;
use super::lease;
use super::ledger::LedgerEntry;
use super::now::Now;
use super::usage::{RateLimitInfo, WindowUsage, Windows};
use super::window::Window;
use crate::RateLimits;

/// The id, limits and ban of a key, as the database holds them when a request of the key arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The key's id. Those of other principals are below 0.
    pub key_id: i64,
    /// The key's limits.
    pub limits: RateLimits,
    /// The last ban in the row.
    pub ban: Ban,
}

impl Account {
    /// The account of a principal that has no row in a database, such as the subject of a token: its id, below 0, is a hash
    /// of `subject`. Where the ledger is a database, its requests are counted in memory, for each process; in Redis, for
    /// all servers.
    pub fn of_subject(subject: &str, limits: RateLimits) -> Account {
        let hash = Sha256::digest(subject.as_bytes());
        let first = hash.first_chunk().copied().unwrap_or_default();
        Account {
            key_id: i64::from_be_bytes(first) | i64::MIN,
            limits,
            ban: Ban::default(),
        }
    }
}

/// The usage, ban and refused requests of a key, as the limiter holds them in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyState {
    /// The usage of its windows.
    pub windows: Windows,
    /// Its last ban.
    pub ban: Ban,
    /// Its recent refused requests.
    pub refusals: RecentRefusals,
    /// Its requests of cost 0 in one minute. They have a limit of their own, in memory only: as many as the key has
    /// requests a minute.
    pub free: WindowUsage,
}

/// The decision on a request from the key's state in memory alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyDecision {
    /// The request was charged.
    Admitted,
    /// Requests remain, but too few are leased: lease, then decide again.
    NeedsLease,
    /// The request triggered a ban, which has to be stored.
    BanTriggered,
    /// The request is refused.
    Refused(Outcome),
}

/// What applies to a request beside the limits of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Whether a key can be banned.
    pub bans_enabled: bool,
    /// Whether a key may spend its credit.
    pub gives_credit: bool,
}

/// Decides on a request of a key at `now` (never earlier than before, except by a clock step). An admitted request is charged to
/// both windows, any other to none.
///
/// A request of cost 0 is refused only by the limit of such requests, and never counts towards a ban.
#[inline]
pub fn decide(
    state: &mut KeyState,
    limits: RateLimits,
    terms: Terms,
    now: &Now,
    cost: u64,
) -> (KeyDecision, RateLimitInfo) {
    state.advance_windows(now);
    if cost == 0 {
        return match state.exhausted_free_requests(limits, now) {
            Some(info) => (KeyDecision::Refused(Outcome::FreeRateLimited), info),
            None => {
                state.free.used += 1;
                (KeyDecision::Admitted, state.rate_limit(limits, now))
            }
        };
    }
    if let Some(until) = state.ban.active_until(now.wall) {
        let info = state.rate_limit_while_banned(until, limits, cost);
        let refused = KeyDecision::Refused(Outcome::Banned);
        return (refused, info.with_retry_after(now));
    }
    if let Some(window) = state.windows.find_exhausted(limits, cost) {
        if terms.bans_enabled {
            state.refusals.add(now.steady());
            if state.refusals.exceed_threshold(limits.per_minute) {
                state.refusals = RecentRefusals::default();
                state.ban.start(now.wall);
                let until = state.ban.active_until(now.wall).unwrap_or(now.wall);
                let info = state.rate_limit_while_banned(until, limits, cost);
                return (KeyDecision::BanTriggered, info.with_retry_after(now));
            }
        }
        let info = state.windows.rate_limit_in(window, limits);
        let refused = KeyDecision::Refused(Outcome::RateLimited(window));
        return (refused, info.with_retry_after(now));
    }
    if !lease::covers(&state.windows, limits, terms.gives_credit, cost) {
        return (KeyDecision::NeedsLease, state.windows.rate_limit(limits));
    }
    state.windows.charge(cost);
    (KeyDecision::Admitted, state.windows.rate_limit(limits))
}

impl KeyState {
    /// Creates the state at `now` of a key that is loaded from the ledger, with a ban that is right at `now`.
    pub fn new(entry: &LedgerEntry, now: &Now) -> KeyState {
        KeyState {
            windows: entry.windows_at(now),
            ban: entry.ban,
            refusals: RecentRefusals::default(),
            free: WindowUsage::unused(now.start_of(Window::Minute)),
        }
    }

    /// Replaces windows that have ended, and carries the others over a clock step.
    #[inline]
    pub fn advance_windows(&mut self, now: &Now) {
        self.windows.advance(now);
        self.free.advance(Window::Minute, now);
    }

    /// Whether the key is banned at `now`.
    pub fn is_banned(&self, now: &Now) -> bool {
        self.ban.active_until(now.wall).is_some()
    }

    /// Replaces the ban by the one in the database if the operator has lifted the ban meanwhile.
    pub fn adopt_lifted_ban(&mut self, stored: &Ban) {
        if stored.epoch > self.ban.epoch {
            self.ban = *stored;
            self.refusals = RecentRefusals::default();
        }
    }

    /// Replaces the ban by one that another server has stored, unless it is out of date.
    pub fn adopt_ban(&mut self, stored: &Ban) {
        if stored.epoch >= self.ban.epoch && stored.until > self.ban.until {
            self.ban = *stored;
        }
    }

    /// The rate-limit numbers of a request of cost 0 that is refused at `now`; `None` if it is admitted.
    fn exhausted_free_requests(&self, limits: RateLimits, now: &Now) -> Option<RateLimitInfo> {
        let info = RateLimitInfo {
            limit: limits.per_minute,
            remaining: 0,
            reset: self.free.start + Window::Minute.length(),
            retry_after: None,
        };
        (self.free.used >= limits.per_minute).then(|| info.with_retry_after(now))
    }

    /// The rate-limit numbers at `now` of a request that is not refused.
    fn rate_limit(&self, limits: RateLimits, now: &Now) -> RateLimitInfo {
        match self.ban.active_until(now.wall) {
            Some(until) => self.rate_limit_while_banned(until, limits, 0),
            None => self.windows.rate_limit(limits),
        }
    }

    /// The rate-limit numbers during a ban until `until` (Unix seconds). They reset when both the ban and every
    /// exhausted window have ended.
    fn rate_limit_while_banned(&self, until: i64, limits: RateLimits, cost: u64) -> RateLimitInfo {
        let exhausted = Window::ALL
            .into_iter()
            .filter(|window| self.windows.is_exhausted(*window, limits, cost.max(1)))
            .map(|window| self.windows.end_of(window));
        RateLimitInfo {
            limit: limits.per_minute,
            remaining: 0,
            reset: exhausted.fold(until, i64::max),
            retry_after: None,
        }
    }
}

#[cfg(test)]
mod tests;
