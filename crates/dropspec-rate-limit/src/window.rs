//! The two windows of a rate limit, aligned to UTC.

/// How many requests each window allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLimits {
    /// Requests in a minute.
    pub per_minute: u64,
    /// Requests in a day of UTC.
    pub per_day: u64,
}

impl RateLimits {
    /// Limits of a minute and of a day.
    pub const fn new(per_minute: u64, per_day: u64) -> RateLimits {
        RateLimits {
            per_minute,
            per_day,
        }
    }
}

/// One of the two periods in which requests are limited. Every request counts in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// The minute of UTC.
    Minute,
    /// The day of UTC.
    Day,
}

impl Window {
    /// Both windows.
    pub const ALL: [Window; 2] = [Window::Minute, Window::Day];

    /// The length of the window in seconds.
    pub const fn length(self) -> i64 {
        match self {
            Window::Minute => 60,
            Window::Day => 24 * 60 * 60,
        }
    }

    /// The start of the window that contains `now`; both in Unix seconds.
    pub const fn start_at(self, now: i64) -> i64 {
        now - now.rem_euclid(self.length())
    }

    /// The name of the window in the database and in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Window::Minute => "minute",
            Window::Day => "day",
        }
    }

    /// The limit of this window in the limits of a plan or key.
    pub const fn limit_in(self, limits: RateLimits) -> u64 {
        match self {
            Window::Minute => limits.per_minute,
            Window::Day => limits.per_day,
        }
    }
}
