//! Keys with few requests, in few bytes: a million of them fit in memory, and need no lease.

use super::shards::KeyEntry;
use crate::rate_limit::ban::Ban;
use crate::rate_limit::decide::KeyState;
use crate::rate_limit::ledger::LedgerEntry;
use crate::rate_limit::now::Now;
use crate::rate_limit::usage::{WindowUsage, Windows};
use crate::rate_limit::window::Window;

/// A [`KeyEntry`] without a ban, refused requests, or a call to the ledger.
#[derive(Clone, Copy, Debug)]
pub(super) struct LightKey {
    /// The minute of the last request, counted from 1970. Its day is the current one as well.
    minute: u32,
    day_used: u32,
    minute_used: u16,
    /// What is leased; below 0, what is owed.
    minute_balance: i16,
    day_balance: i16,
    minute_lost: u8,
    day_lost: u8,
}

impl LightKey {
    /// Packs a key at `now`; `None` if it has more than fits.
    pub(super) fn pack(entry: &KeyEntry, now: &Now) -> Option<LightKey> {
        let KeyState {
            windows: Windows { minute, day },
            ban,
            refusals,
            free,
            ..
        } = &entry.state;
        let is_busy = entry.pending_call().is_some() || entry.failed.is_some();
        let has_ban = *ban != Ban::default() || entry.ban_is_unsaved;
        let has_free = free.used > 0 && now.current(Window::Minute).contains(&free.start);
        if is_busy || has_ban || has_free || !refusals.is_empty() {
            return None;
        }
        Some(LightKey {
            minute: u32::try_from(minute.start / Window::Minute.length()).ok()?,
            day_used: u32::try_from(day.used).ok()?,
            minute_used: u16::try_from(minute.used).ok()?,
            minute_balance: balance(minute)?,
            day_balance: balance(day)?,
            minute_lost: u8::try_from(minute.lost).ok()?,
            day_lost: u8::try_from(day.lost).ok()?,
        })
    }

    /// The key as it was packed; its clock steps are those of `now`.
    pub(super) fn unpack(&self, now: &Now) -> KeyEntry {
        let start = self.minute_start();
        let mut state = KeyState::new(&LedgerEntry::default(), now);
        state.windows = Windows {
            minute: usage(
                start,
                self.minute_used.into(),
                self.minute_balance,
                self.minute_lost,
            ),
            day: usage(
                Window::Day.start_at(start),
                self.day_used.into(),
                self.day_balance,
                self.day_lost,
            ),
        };
        KeyEntry {
            last_seen: start.saturating_sub(now.stepped),
            ..KeyEntry::new(state, now)
        }
    }

    /// The start of the minute of the last request, in Unix seconds.
    pub(super) fn minute_start(&self) -> i64 {
        i64::from(self.minute) * Window::Minute.length()
    }

    /// Whether the ledger knows all of its requests, and nothing is leased.
    pub(super) fn is_settled(&self) -> bool {
        self.minute_balance == 0 && self.day_balance == 0
    }
}

fn balance(usage: &WindowUsage) -> Option<i16> {
    let (leased, owed) = (i16::try_from(usage.leased), i16::try_from(usage.owed));
    leased.ok()?.checked_sub(owed.ok()?)
}

fn usage(start: i64, used: u64, balance: i16, lost: u8) -> WindowUsage {
    WindowUsage {
        start,
        used,
        leased: balance.max(0).unsigned_abs().into(),
        owed: balance.min(0).unsigned_abs().into(),
        lost: lost.into(),
    }
}
