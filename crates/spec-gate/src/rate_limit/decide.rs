//! The decision on one request of one key: a pure function of the key's state, its limits, the time and the cost.
//! No I/O, no clock, no lock.

use spec_runtime::RateLimits;

use super::ban::{Ban, RecentRefusals};
use super::ledger::LedgerEntry;
use super::window::{RateLimitInfo, Window, Windows};

/// The id, limits and ban of a key, as the database holds them when a request of the key arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The key's id.
    pub key_id: i64,
    /// The key's limits.
    pub limits: RateLimits,
    /// The last ban in the row.
    pub ban: Ban,
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
}

/// The decision on a request from the key's state in memory alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyDecision {
    /// The request was charged.
    Admitted,
    /// Requests remain, but too few are leased: lease, then decide again.
    NeedsLease,
    /// Too few requests remain in this window.
    RateLimited(Window),
    /// The request triggered a ban, which has to be stored.
    BanTriggered,
    /// The key is banned.
    Banned,
}

/// Decides on a request of a key at `now` (Unix seconds, never earlier than before). An admitted request is charged to
/// both windows, any other to none. Without `bans_enabled` no key is banned.
///
/// A request of cost 0 is always admitted.
#[inline]
pub fn decide(
    state: &mut KeyState,
    limits: RateLimits,
    bans_enabled: bool,
    now: i64,
    cost: u64,
) -> (KeyDecision, RateLimitInfo) {
    state.windows.advance(now);
    if cost == 0 {
        return (KeyDecision::Admitted, state.rate_limit(limits, now));
    }
    if let Some(until) = state.ban.active_until(now) {
        let info = state.rate_limit_while_banned(until, limits, cost);
        return (KeyDecision::Banned, info.with_retry_after(now));
    }
    if let Some(window) = state.windows.find_exhausted(limits, cost) {
        if bans_enabled && state.refusals.count(limits.per_minute, now) {
            state.ban.start(now);
            let until = state.ban.active_until(now).unwrap_or(now);
            let info = state.rate_limit_while_banned(until, limits, cost);
            return (KeyDecision::BanTriggered, info.with_retry_after(now));
        }
        let info = state.windows.rate_limit_in(window, limits);
        return (KeyDecision::RateLimited(window), info.with_retry_after(now));
    }
    let Windows { minute, day } = &mut state.windows;
    if minute.leased < cost || day.leased < cost {
        return (KeyDecision::NeedsLease, state.windows.rate_limit(limits));
    }
    for usage in [minute, day] {
        usage.used += cost;
        usage.leased -= cost;
    }
    (KeyDecision::Admitted, state.windows.rate_limit(limits))
}

impl KeyState {
    /// Creates the state at `now` (Unix seconds) of a key that is loaded from the ledger.
    pub fn new(entry: &LedgerEntry, now: i64) -> KeyState {
        KeyState {
            windows: entry.windows_at(now),
            ban: entry.ban,
            refusals: RecentRefusals::default(),
        }
    }

    /// Replaces the ban by the one in the database if the operator has lifted the ban meanwhile.
    pub fn adopt_lifted_ban(&mut self, stored: &Ban) {
        if stored.epoch > self.ban.epoch {
            self.ban = *stored;
            self.refusals = RecentRefusals::default();
        }
    }

    /// The rate-limit numbers at `now` (Unix seconds) of a request that is not refused.
    fn rate_limit(&self, limits: RateLimits, now: i64) -> RateLimitInfo {
        match self.ban.active_until(now) {
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
