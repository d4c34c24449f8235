//! The usage of a key in one window.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::keys::to_rfc3339;
use crate::rate_limit::{LedgerEntry, Now, RateLimits, Window};

/// The usage of a key in one window.
#[derive(Serialize)]
pub(super) struct Usage {
    limit: u64,
    used: u64,
    /// What servers have reserved in advance, at most a tenth of the limit each, and may have used since.
    reserved: u64,
    resets_at: String,
}

impl Usage {
    /// The usage at `now`, as a ledger knows it.
    pub(super) fn new(
        entry: &LedgerEntry,
        window: Window,
        limits: RateLimits,
        now: DateTime<Utc>,
    ) -> Usage {
        let windows = entry.known_at(&Now::at(now.timestamp()));
        let usage = windows.get(window);
        Usage {
            limit: window.limit_in(limits),
            used: usage.used,
            reserved: usage.leased,
            resets_at: to_rfc3339(windows.end_of(window)),
        }
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} used", self.used, self.limit)?;
        if self.reserved > 0 {
            write!(f, ", {} more reserved by servers", self.reserved)?;
        }
        write!(f, ", until {}", self.resets_at)
    }
}
