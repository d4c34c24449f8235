//! The usage of the windows of a rate limit. It knows nothing of bans, keys or addresses.

use super::now::Now;
use super::window::Window;
use crate::RateLimits;

/// The values of the `X-RateLimit-*` headers of a response, and of `Retry-After` if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitInfo {
    /// `X-RateLimit-Limit`: requests that the window allows.
    pub limit: u64,
    /// `X-RateLimit-Remaining`: requests that remain in the window.
    pub remaining: u64,
    /// `X-RateLimit-Reset`, in Unix seconds: the end of the window or of the ban.
    pub reset: i64,
    /// `Retry-After`: the seconds until `reset`, at least 1. Set if the request exceeds a limit or the key is banned.
    pub retry_after: Option<i64>,
}

/// The used and leased requests of a key or address in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowUsage {
    /// The start of the window, in Unix seconds.
    pub start: i64,
    /// The sum of the costs of admitted requests. After a crash it includes what had been leased.
    pub used: u64,
    /// Requests leased from the ledger and not yet used. An address has no leases.
    pub leased: u64,
    /// Those of the used requests that the ledger does not know: they were admitted without a lease. Above 0 only
    /// while nothing is leased.
    pub owed: u64,
    /// Those of the used requests that may have been spent on credit before a crash. The ledger does not know them.
    pub lost: u64,
    /// The largest lease that the ledger grants: as much as asked for, until it has granted less.
    pub lease_cap: u64,
}

/// The usage of the current minute and day of one key or address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The current minute.
    pub minute: WindowUsage,
    /// The current day.
    pub day: WindowUsage,
}

impl RateLimitInfo {
    /// Adds `Retry-After` to the numbers, for a request that is refused at `now`, before their reset.
    pub(super) fn with_retry_after(self, now: &Now) -> RateLimitInfo {
        RateLimitInfo {
            retry_after: Some(self.reset - now.wall),
            ..self
        }
    }
}

impl WindowUsage {
    /// An unused window that starts at `start`, in Unix seconds.
    pub const fn unused(start: i64) -> WindowUsage {
        WindowUsage {
            start,
            used: 0,
            leased: 0,
            owed: 0,
            lost: 0,
            lease_cap: u64::MAX,
        }
    }

    /// Charges `cost` requests: to the lease, and what it does not cover is owed to the ledger.
    #[inline]
    pub(super) fn charge(&mut self, cost: u64) {
        let covered = cost.min(self.leased);
        self.used += cost;
        self.leased -= covered;
        self.owed += cost - covered;
    }

    /// Replaces the usage by that of the window of `now`, or carries it over to that one after a clock step.
    #[inline]
    pub(super) fn advance(&mut self, window: Window, now: &Now) {
        // Within the window, which is nearly always, this saves a division.
        if (0..window.length()).contains(&now.wall.saturating_sub(self.start)) {
            return;
        }
        if !now.current(window).contains(&self.start) {
            *self = WindowUsage::unused(self.start);
        }
        self.start = now.start_of(window);
    }

    /// The number of requests that remain of `limit`; 0 if the limit was lowered below the usage.
    pub const fn remaining(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.used)
    }
}

impl Windows {
    /// The windows that contain the time `now` (Unix seconds), without usage.
    pub const fn unused_at(now: i64) -> Windows {
        Windows {
            minute: WindowUsage::unused(Window::Minute.start_at(now)),
            day: WindowUsage::unused(Window::Day.start_at(now)),
        }
    }

    /// The usage in the minute or in the day.
    pub const fn get(&self, window: Window) -> &WindowUsage {
        match window {
            Window::Minute => &self.minute,
            Window::Day => &self.day,
        }
    }

    /// The usage in the minute or in the day, to be changed.
    pub const fn get_mut(&mut self, window: Window) -> &mut WindowUsage {
        match window {
            Window::Minute => &mut self.minute,
            Window::Day => &mut self.day,
        }
    }

    /// Charges `cost` requests to both windows.
    #[inline]
    pub fn charge(&mut self, cost: u64) {
        self.minute.charge(cost);
        self.day.charge(cost);
    }

    /// Takes out of the used requests those that `here` has leased and not used, and adds those that it owes.
    pub(super) fn replace_unused(&mut self, here: &Windows) {
        for window in Window::ALL {
            let (usage, here) = (self.get_mut(window), here.get(window));
            if usage.start == here.start {
                usage.used = usage.used.saturating_sub(here.leased) + here.owed;
            }
        }
    }

    /// Replaces windows that have ended by the windows of `now`. After a clock step, the windows that were current
    /// before it go on, under the start of the windows that are current after it.
    #[inline]
    pub fn advance(&mut self, now: &Now) {
        for window in Window::ALL {
            self.get_mut(window).advance(window, now);
        }
    }

    /// The end of the current minute or day, in Unix seconds.
    pub const fn end_of(&self, window: Window) -> i64 {
        self.get(window).start + window.length()
    }

    /// Whether fewer than `cost` requests remain in the window.
    pub const fn is_exhausted(&self, window: Window, limits: RateLimits, cost: u64) -> bool {
        self.get(window).remaining(window.limit_in(limits)) < cost
    }

    /// Finds the window in which fewer than `cost` requests remain; the day if both are exhausted.
    #[inline]
    pub fn find_exhausted(&self, limits: RateLimits, cost: u64) -> Option<Window> {
        [Window::Day, Window::Minute]
            .into_iter()
            .find(|window| self.is_exhausted(*window, limits, cost))
    }

    /// The rate-limit numbers of one window, without `Retry-After`.
    #[inline]
    pub fn rate_limit_in(&self, window: Window, limits: RateLimits) -> RateLimitInfo {
        let limit = window.limit_in(limits);
        RateLimitInfo {
            limit,
            remaining: self.get(window).remaining(limit),
            reset: self.end_of(window),
            retry_after: None,
        }
    }

    /// The rate-limit numbers of the window with fewer requests remaining; of the day if both have the same.
    #[inline]
    pub fn rate_limit(&self, limits: RateLimits) -> RateLimitInfo {
        let minute = self.rate_limit_in(Window::Minute, limits);
        let day = self.rate_limit_in(Window::Day, limits);
        if minute.remaining < day.remaining {
            minute
        } else {
            day
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 12:00:30 UTC.
    const NOON: i64 = 1_795_262_430;

    #[test]
    fn windows_are_aligned_to_utc() {
        assert_eq!(Windows::unused_at(NOON).end_of(Window::Minute), NOON + 30);
        assert_eq!(
            Windows::unused_at(NOON).end_of(Window::Day),
            NOON - 30 + 12 * 60 * 60
        );
        assert_eq!(Window::Day.start_at(-1), -86_400, "before 1970 too");
    }
}
