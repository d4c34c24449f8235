//! Credit: the first requests of a key in a window, which it may spend before the ledger knows of them.
//!
//! A crash loses them. So before the first one the ledger stores that credit is given, and after a crash the windows of the
//! next start count as many requests as used as a key can have spent so. [`CreditRecord`] is what the ledger stores.
//!
//! What it is for: requests of keys that send little do not wait for the ledger (benchmark `parts`, row `credit`).

use super::ledger::{Claim, CreditRecord, LedgerEntry};
use super::now::Now;
use super::usage::{WindowUsage, Windows};
use super::window::Window;

/// A limit gives credit from this many times the credit on, so that a crash costs a key no more than a tenth of it.
const LIMIT_PER_CREDIT: u64 = 10;

/// After so many crashes a window gives no more credit. So they cost a key at most three tenths of a limit.
const MAX_CRASHES: u64 = 3;

/// The number of crashes that count in the current minute and day: how often the credit of every key was lost.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrashCounts(Windows);

impl CrashCounts {
    /// The crashes that count in the windows that are current at `now`, as a server starts with this record: one more than
    /// before if the last server was not stopped properly.
    pub(super) fn at_start(record: &CreditRecord, now: &Now) -> CrashCounts {
        let entry = LedgerEntry {
            minute: record.minute,
            day: record.day,
            ..LedgerEntry::default()
        };
        let mut crashes = entry.windows_at(now);
        for window in Window::ALL {
            let usage = crashes.get_mut(window);
            usage.used = (usage.used + u64::from(record.is_open)).min(MAX_CRASHES);
        }
        CrashCounts(crashes)
    }

    /// The crashes if what the ledger stores cannot be read: as if the last server was not stopped properly.
    pub(super) fn unknown(now: &Now) -> CrashCounts {
        let is_open = true;
        CrashCounts::at_start(
            &CreditRecord {
                is_open,
                ..CreditRecord::default()
            },
            now,
        )
    }

    /// Forgets the crashes of windows that have ended, and makes up for clock steps.
    pub(super) fn advance(&mut self, now: &Now) {
        self.0.advance(now);
    }

    /// What is to be stored while credit is given, and after a proper stop.
    pub(super) fn record(&self, is_open: bool) -> CreditRecord {
        let claim = |window| {
            let usage = self.0.get(window);
            Some(Claim {
                start: usage.start,
                claimed: usage.used,
            })
        };
        CreditRecord {
            is_open,
            minute: claim(Window::Minute),
            day: claim(Window::Day),
        }
    }

    /// Counts the lost credit as used in the windows of a key that is loaded, with these limits of its windows.
    pub(super) fn charge(&self, windows: &mut Windows, limit_of: impl Fn(Window) -> u64) {
        for window in Window::ALL {
            let usage = windows.get_mut(window);
            usage.lost = self.0.get(window).used * full_credit(window, limit_of(window));
            usage.used = usage.used.saturating_add(usage.lost);
        }
    }
}

/// The credit in a window with this limit.
#[inline]
pub fn full_credit(window: Window, limit: u64) -> u64 {
    let credit = match window {
        Window::Minute => 6,
        Window::Day => 20,
    };
    if limit >= credit * LIMIT_PER_CREDIT {
        credit
    } else {
        0
    }
}

/// The credit of a key in a window: none after too many crashes.
#[inline]
pub(super) fn credit(window: Window, usage: &WindowUsage, limit: u64) -> u64 {
    let credit = full_credit(window, limit);
    if usage.lost < MAX_CRASHES * credit {
        credit
    } else {
        0
    }
}
