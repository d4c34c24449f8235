//! What the limiter knows, under one lock: the time, the keys and addresses in memory, and whether credit is given.

use hashlink::LinkedHashMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::LimiterStats;
use super::entry::{FailedCall, KeyEntry};
use crate::addresses::AddressWindows;
use crate::clock::Time;
use crate::credit::CrashCounts;
use crate::decide::KeyState;
use crate::lease;
use crate::ledger::{Adjusted, Adjustment, CreditRecord, LedgerEntry};
use crate::now::{Carried, Now};
use crate::storage_error::StorageError;
use crate::window::RateLimits;

/// The time between two sweeps for idle keys, in seconds.
const SWEEP_INTERVAL: i64 = 60;

/// The largest number of addresses counted separately.
const MAX_ADDRESSES: usize = 100_000;

/// What the limiter knows.
#[derive(Debug)]
pub(super) struct State {
    /// The latest time that the limiter was given. It never goes back, except by a clock step. A decision reads it under
    /// the lock, so no window is opened twice.
    pub(super) now: Now,
    /// The number of clock steps so far.
    steps: u32,
    /// Whether the time is that of the ledger's clock.
    pub(super) has_ledger_time: bool,
    /// Whether other servers store bans in the ledger, too.
    is_shared: bool,
    /// By the id of the key, in the order of their last requests. The server assigns ids in sequence, so nobody can choose
    /// them to collide, and a hash that resists chosen ids would take a large part of a decision's time.
    pub(super) keys: LinkedHashMap<i64, KeyEntry, FxBuildHasher>,
    /// Of requests without a valid key.
    pub(super) addresses: AddressWindows,
    /// Of pages. Readers of the documentation are not kept out by requests with mistyped keys from their address.
    pub(super) page_addresses: AddressWindows,
    pub(super) stats: LimiterStats,
    pub(super) credit: CreditState,
    /// The time of the next sweep, in seconds of a clock without steps.
    sweep_due: i64,
    /// Whether the ledger may hold windows under starts that a clock step has changed. At the start it may: the clock
    /// can have been set back since the last one.
    pub(super) carry_over_due: bool,
    /// Whether every key that is banned is in memory, which is so after the first clock step, unless other servers ban keys.
    pub(super) has_bans: bool,
    /// The keys with a ban that is not stored yet.
    pub(super) unsaved_bans: FxHashSet<i64>,
    /// Whether keys are leaving memory to make room.
    pub(super) makes_room: bool,
    pub(super) is_closed: bool,
    /// Whether the last call to the ledger failed or did not return in time.
    pub(super) ledger_fails: bool,
}

/// Whether the limiter gives credit, and the credit that crashes have cost.
#[derive(Debug)]
pub(super) struct CreditState {
    /// Whether the ledger has stored that credit is given.
    pub(super) is_open: bool,
    /// Whether the ledger stores that credit is given, by this server or by one that was not stopped properly.
    pub(super) is_stored: bool,
    /// The time of the last call to the ledger about it, in seconds of a clock without steps.
    pub(super) called_at: i64,
    /// The crashes before the start, once they have been read.
    crashes: Option<CrashCounts>,
}

impl State {
    pub(super) fn new(is_shared: bool) -> State {
        State {
            now: Now::at(i64::MIN),
            steps: 0,
            has_ledger_time: false,
            is_shared,
            keys: LinkedHashMap::default(),
            addresses: AddressWindows::new(MAX_ADDRESSES),
            page_addresses: AddressWindows::new(MAX_ADDRESSES),
            stats: LimiterStats::default(),
            credit: CreditState {
                is_open: false,
                is_stored: false,
                called_at: i64::MIN,
                crashes: None,
            },
            sweep_due: i64::MIN,
            carry_over_due: true,
            has_bans: false,
            unsaved_bans: FxHashSet::default(),
            makes_room: false,
            is_closed: false,
            ledger_fails: false,
        }
    }

    /// Advances the time to that of a later reading of the clock, with its steps.
    pub(super) fn advance_time(&mut self, time: &Time) {
        let wall = time.wall.timestamp();
        if time.steps > self.steps {
            self.steps = time.steps;
            self.step_to(wall, time.stepped.num_seconds());
        } else if time.steps == self.steps && wall > self.now.wall {
            self.now = self.now.with_wall(wall);
        }
    }

    /// Advances the time to that of the ledger's clock. Its first reading replaces the time of this machine, whatever that is; then
    /// the windows of its last step go on.
    pub(super) fn follow(&mut self, time: &Time, last_step: impl FnOnce() -> Option<[Carried; 2]>) {
        if !self.has_ledger_time {
            self.has_ledger_time = true;
            self.steps = time.steps;
            let now = Now::at(time.wall.timestamp());
            self.now = last_step().map_or(now, |step| now.after_step(step));
            self.now.stepped = time.stepped.num_seconds();
            self.sweep_due = i64::MIN;
        }
        self.advance_time(time);
    }

    /// Makes up for a clock step in memory; the next sweep does it in the ledger, and loads the bans.
    fn step_to(&mut self, wall: i64, stepped: i64) {
        let before = self.now;
        let change = stepped - before.stepped;
        let from = before.wall.max(wall - change);
        let at_step = before.with_wall(from);
        let now = at_step.step_to(wall, stepped);
        for (key_id, entry) in &mut self.keys {
            if self.is_shared {
                // Leases of windows that had ended may be those of other servers in the ledger.
                entry.state.advance_windows(&at_step);
            }
            entry.state.ban = entry.state.ban.shifted_by(change);
            entry.state.advance_windows(&now);
            if entry.state.is_banned(&now) {
                self.unsaved_bans.insert(*key_id);
            }
        }
        self.addresses.advance(&now);
        self.page_addresses.advance(&now);
        self.now = now;
        self.current_crashes();
        self.carry_over_due = true;
        self.sweep_due = i64::MIN;
    }

    /// The state of a key in memory.
    pub(super) fn find(&self, key_id: i64) -> Option<KeyState> {
        self.keys.get(&key_id).map(|entry| entry.state.clone())
    }

    /// Whether a sweep is due. The next one is due a minute later.
    pub(super) fn begins_sweep(&mut self) -> bool {
        let now = self.now.steady();
        // Before the first request there may be no time.
        let begins = self.now.wall > i64::MIN && now >= self.sweep_due;
        if begins {
            self.sweep_due = now.saturating_add(SWEEP_INTERVAL);
        }
        begins
    }

    /// The crashes before the start that count in the current windows; `None` until they have been read.
    pub(super) fn current_crashes(&mut self) -> Option<CrashCounts> {
        self.credit.crashes.as_mut()?.advance(&self.now);
        self.credit.crashes
    }

    /// Sets the crashes before the start by what the ledger stores, unless they are known already.
    pub(super) fn start_after(&mut self, record: &CreditRecord) -> CrashCounts {
        // By a server that was not stopped properly.
        self.credit.is_stored |= record.is_open;
        let crashes = self.current_crashes();
        let crashes = crashes.unwrap_or_else(|| CrashCounts::at_start(record, &self.now));
        self.credit.crashes = Some(crashes);
        crashes
    }

    /// The state of a key that the ledger stores as `entry`. Once all bans are in memory, its ban has ended. Until then it
    /// was stored by the clock without steps. Other servers store bans by the clock as it is.
    pub(super) fn state_of(
        &self,
        entry: &LedgerEntry,
        limits: Option<RateLimits>,
        crashes: &CrashCounts,
    ) -> KeyState {
        let now = &self.now;
        let ban = if self.is_shared {
            entry.ban.read_at(now.wall)
        } else if self.has_bans {
            entry.ban.ended_by(now.wall)
        } else {
            entry.ban.read_at(now.steady()).shifted_by(now.stepped)
        };
        let mut state = KeyState::new(&LedgerEntry { ban, ..*entry }, now);
        crashes.charge(&mut state.windows, |window| {
            limits.map_or(u64::MAX, |limits| window.limit_in(limits))
        });
        state
    }

    /// Finds the keys with the oldest last requests that can leave memory, at most `max`.
    pub(super) fn find_oldest(&self, max: usize) -> Vec<i64> {
        let leaving = self.keys.iter();
        let leaving = leaving.filter(|(key_id, it)| self.can_leave(**key_id, it));
        leaving.map(|(key_id, _)| *key_id).take(max).collect()
    }

    /// Finds keys without a request after `since` (steady seconds) that can leave memory, at most `max`.
    pub(super) fn find_idle(&self, since: i64, max: usize) -> Vec<i64> {
        let idle = self.keys.iter().take_while(|(_, it)| it.last_seen <= since);
        let idle = idle.filter(|(key_id, it)| self.can_leave(**key_id, it));
        idle.map(|(key_id, _)| *key_id).take(max).collect()
    }

    /// Whether a key can leave memory and be loaded again without losing anything. A banned key stays: only in memory does
    /// its ban outlast clock steps.
    pub(super) fn can_leave(&self, key_id: i64, entry: &KeyEntry) -> bool {
        let is_banned = entry.state.is_banned(&self.now);
        entry.pending_call().is_none() && !is_banned && !self.unsaved_bans.contains(&key_id)
    }

    /// Applies the results of the adjustments of a key, or their failure.
    pub(super) fn apply_results(
        &mut self,
        adjustments: &[Adjustment],
        result: Result<&[Adjusted], &StorageError>,
    ) {
        let now = self.now;
        let Some(entry) = self.keys.get_mut(&adjustments[0].key_id) else {
            return;
        };
        entry.state.advance_windows(&now);
        let windows = &mut entry.state.windows;
        match result {
            Ok(adjusted) => {
                for (adjustment, adjusted) in adjustments.iter().zip(adjusted) {
                    lease::apply_lease_result(windows, adjustment, adjusted, &now);
                }
                if let Some(ban) = adjusted.iter().find_map(|it| it.ban) {
                    // It may have been stored before the clock was set back.
                    entry.state.adopt_ban(&ban.read_at(now.wall));
                }
            }
            Err(_) => {
                for adjustment in adjustments {
                    lease::forfeit(windows, adjustment);
                }
            }
        }
        entry.call = None;
        entry.failed = result.err().map(|fault| {
            Box::new(FailedCall {
                at: now.steady(),
                unreported: Some(fault.clone()),
            })
        });
        entry.is_awaited &= result.is_ok();
    }
}
