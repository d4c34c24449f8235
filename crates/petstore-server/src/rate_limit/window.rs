//! The two windows of a limit, aligned to the clock of UTC, and how much of each was used. It knows
//! nothing of bans, keys or addresses.

use super::standing::Standing;

/// One of the two windows that every request counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// The minute of UTC.
    Minute,
    /// The day of UTC.
    Day,
}

/// How many requests each window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests in a minute.
    pub per_minute: u64,
    /// Requests in a day.
    pub per_day: u64,
}

/// What was used of one window, and what may be used of it without asking the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// When the window began, in Unix seconds.
    pub start: i64,
    /// Requests that count, by their cost. After a crash it includes what had been leased.
    pub used: u64,
    /// Requests leased from the store and not yet spent. An address leases nothing.
    pub leased: u64,
}

/// Both windows of one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The minute that the caller is in.
    pub minute: Usage,
    /// The day that the caller is in.
    pub day: Usage,
}

impl Window {
    /// Both of them.
    pub const ALL: [Window; 2] = [Window::Minute, Window::Day];

    /// How long it is, in seconds.
    pub const fn length(self) -> i64 {
        match self {
            Window::Minute => 60,
            Window::Day => 24 * 60 * 60,
        }
    }

    /// When the window that holds `now` began; both in Unix seconds.
    pub const fn start_at(self, now: i64) -> i64 {
        now - now.rem_euclid(self.length())
    }

    /// Its name, as the store and messages write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Window::Minute => "minute",
            Window::Day => "day",
        }
    }
}

impl Limits {
    /// The limit of one window.
    pub const fn of(self, window: Window) -> u64 {
        match window {
            Window::Minute => self.per_minute,
            Window::Day => self.per_day,
        }
    }
}

impl Usage {
    /// An unused window.
    pub const fn from(start: i64) -> Usage {
        Usage {
            start,
            used: 0,
            leased: 0,
        }
    }

    /// What `limit` leaves. It can have been lowered below what was used.
    pub const fn remaining(&self, limit: u64) -> u64 {
        limit.saturating_sub(self.used)
    }
}

impl Windows {
    /// Unused windows at `now`, in Unix seconds.
    pub const fn at(now: i64) -> Windows {
        Windows {
            minute: Usage::from(Window::Minute.start_at(now)),
            day: Usage::from(Window::Day.start_at(now)),
        }
    }

    /// One of the two.
    pub const fn of(&self, window: Window) -> &Usage {
        match window {
            Window::Minute => &self.minute,
            Window::Day => &self.day,
        }
    }

    /// One of the two, to change it.
    pub const fn of_mut(&mut self, window: Window) -> &mut Usage {
        match window {
            Window::Minute => &mut self.minute,
            Window::Day => &mut self.day,
        }
    }

    /// Goes on to the windows of `now`. A window that begins later than `now`, because the clock was set back
    /// while the server was down, stays: a past window is never opened again.
    #[inline]
    pub fn advance(&mut self, now: i64) {
        for window in Window::ALL {
            let usage = self.of_mut(window);
            // Within the window, which is nearly always, this spares a division.
            if now >= usage.start + window.length() {
                *usage = Usage::from(window.start_at(now));
            }
        }
    }

    /// When the window ends, in Unix seconds.
    pub const fn reset(&self, window: Window) -> i64 {
        self.of(window).start + window.length()
    }

    /// Whether the window has no room for `cost`.
    pub const fn is_exhausted(&self, window: Window, limits: Limits, cost: u64) -> bool {
        self.of(window).remaining(limits.of(window)) < cost
    }

    /// The window that has no room for `cost`; the day if neither has.
    #[inline]
    pub fn violated(&self, limits: Limits, cost: u64) -> Option<Window> {
        [Window::Day, Window::Minute]
            .into_iter()
            .find(|window| self.is_exhausted(*window, limits, cost))
    }

    /// The figures of one window.
    #[inline]
    pub fn standing_in(&self, window: Window, limits: Limits) -> Standing {
        let limit = limits.of(window);
        Standing {
            limit,
            remaining: self.of(window).remaining(limit),
            reset: self.reset(window),
            retry_after: None,
        }
    }

    /// The figures of the window with the least remaining; a tie goes to the day.
    #[inline]
    pub fn standing(&self, limits: Limits) -> Standing {
        let minute = self.standing_in(Window::Minute, limits);
        let day = self.standing_in(Window::Day, limits);
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

    const LIMITS: Limits = Limits {
        per_minute: 60,
        per_day: 1000,
    };
    /// 2026-11-21 12:00:30 UTC.
    const NOON: i64 = 1_795_262_430;

    fn used(minute: u64, day: u64) -> Windows {
        let mut windows = Windows::at(NOON);
        windows.minute.used = minute;
        windows.day.used = day;
        windows
    }

    #[test]
    fn windows_are_aligned_to_utc() {
        assert_eq!(Windows::at(NOON).reset(Window::Minute), NOON + 30);
        assert_eq!(
            Windows::at(NOON).reset(Window::Day),
            NOON - 30 + 12 * 60 * 60
        );
        assert_eq!(Window::Day.start_at(-1), -86_400, "before 1970 too");
    }

    #[test]
    fn the_standing_is_that_of_the_window_with_the_least_remaining() {
        let cases = [
            (used(0, 0), 60, "the minute, at first"),
            (used(10, 950), 50, "a tie: 50 are left of either"),
            (used(10, 990), 10, "the day, towards its end"),
        ];
        for (windows, remaining, reason) in cases {
            assert_eq!(windows.standing(LIMITS).remaining, remaining, "{reason}");
        }
        assert_eq!(
            used(10, 950).standing(LIMITS).limit,
            1000,
            "a tie goes to the day"
        );
    }

    #[test]
    fn the_violated_window_is_named_and_the_day_before_the_minute() {
        assert_eq!(used(59, 0).violated(LIMITS, 1), None);
        assert_eq!(used(60, 0).violated(LIMITS, 1), Some(Window::Minute));
        assert_eq!(used(58, 0).violated(LIMITS, 3), Some(Window::Minute));
        assert_eq!(used(0, 1000).violated(LIMITS, 1), Some(Window::Day));
        assert_eq!(used(60, 1000).violated(LIMITS, 1), Some(Window::Day));
    }

    #[test]
    fn a_window_is_left_for_a_later_one_only() {
        let mut windows = used(5, 5);
        windows.advance(NOON - 120);
        assert_eq!(windows, used(5, 5));
        windows.advance(NOON + 30);
        assert_eq!((windows.minute.used, windows.day.used), (0, 5));
        assert_eq!(windows.minute.start, NOON + 30);
    }
}
