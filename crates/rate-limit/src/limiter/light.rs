//! Keys with few requests, in few bytes: a million of them fit in memory, and need no lease.
//!
//! What it is for: bytes of memory for a key (benchmark `parts`, row `light keys`).

use rustc_hash::FxHashMap;

use super::entry::KeyEntry;
use crate::ban::Ban;
use crate::decide::KeyState;
use crate::ledger::LedgerEntry;
use crate::now::Now;
use crate::usage::{WindowUsage, Windows};
use crate::window::Window;

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

/// Light keys by their ids, which have to be below 2^32, so that a key takes 20 bytes.
#[derive(Debug, Default)]
pub(super) struct LightKeys(FxHashMap<u32, LightKey>);

impl LightKeys {
    pub(super) fn get(&self, key_id: i64) -> Option<&LightKey> {
        self.0.get(&u32::try_from(key_id).ok()?)
    }

    pub(super) fn get_mut(&mut self, key_id: i64) -> Option<&mut LightKey> {
        self.0.get_mut(&u32::try_from(key_id).ok()?)
    }

    pub(super) fn remove(&mut self, key_id: i64) -> Option<LightKey> {
        self.0.remove(&u32::try_from(key_id).ok()?)
    }

    /// Adds a key if there are fewer than `max` and it fits. Returns whether it did.
    pub(super) fn insert(&mut self, key_id: i64, entry: &KeyEntry, max: usize, now: &Now) -> bool {
        let key = LightKey::pack(entry, now).filter(|_| self.len() < max);
        let added = u32::try_from(key_id).ok().zip(key);
        added.is_some_and(|(key_id, key)| {
            self.0.insert(key_id, key);
            true
        })
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, &LightKey)> {
        self.0.iter().map(|(key_id, key)| (i64::from(*key_id), key))
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut LightKey> {
        self.0.values_mut()
    }

    /// Forgets the keys for which this is true.
    pub(super) fn forget(&mut self, is_over: impl Fn(&LightKey) -> bool) {
        self.0.retain(|_, key| !is_over(key));
    }
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
        ..WindowUsage::unused(start)
    }
}
