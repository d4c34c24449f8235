//! The keys in memory, in shards with one lock each. A lock is held for one decision, never across an await.
//!
//! What they are for: a sweep over a million keys holds up the decisions of one shard only, and threads on many cores decide at
//! once (benchmark `parts`, row `shards`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::entry::{FailedCall, KeyEntry, LedgerCall};
use super::light::{LightKey, LightKeys};
use crate::decide::KeyState;
use crate::lease;
use crate::ledger::{Adjusted, Adjustment};
use crate::now::Now;
use crate::storage_error::StorageError;
use crate::window::Window;

/// The number of shards, each with a lock. Requests for keys of one shard rarely collide, as a lock is held for less
/// than a microsecond.
pub(super) const SHARDS: usize = 96;

/// All keys in memory, divided by id into shards.
#[derive(Debug)]
pub(super) struct Shards(Box<[Shard]>);

/// A part of the keys with its lock. It is aligned so that two threads at two shards do not share a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard(Mutex<ShardKeys>);

/// The numbers of bans and ledger calls since the start of the server, for metrics. The gate counts the decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterStats {
    /// Bans triggered.
    pub bans: u64,
    /// Calls to the ledger to lease or return requests.
    pub lease_calls: u64,
    /// Those of them that failed.
    pub lease_failures: u64,
    /// Requests that waited for a lease.
    pub lease_waits: u64,
    /// Leases given back because another server needed requests of the window.
    pub given_back: u64,
}

/// The keys of one shard, and the counters of their events.
#[derive(Debug, Default)]
pub(super) struct ShardKeys {
    /// By the id of the key. The server assigns ids in sequence, so nobody can choose them to collide, and a hash that
    /// resists chosen ids would take a large part of a decision's time.
    pub(super) entries: FxHashMap<i64, KeyEntry>,
    /// Keys with few requests, by their ids. A key is in one of the two maps.
    pub(super) light: LightKeys,
    pub(super) stats: LimiterStats,
}

impl Shards {
    pub(super) fn new() -> Shards {
        Shards((0..SHARDS).map(|_| Shard::default()).collect())
    }

    /// Locks the shard that holds the key with this id.
    #[inline]
    pub(super) fn lock(&self, key_id: i64) -> MutexGuard<'_, ShardKeys> {
        // Ids are assigned in sequence, so their low bits are spread evenly.
        self.0[key_id.unsigned_abs() as usize % SHARDS].lock()
    }

    /// Locks one shard after the other, each until its keys are dropped.
    pub(super) fn lock_each(&self) -> impl Iterator<Item = MutexGuard<'_, ShardKeys>> {
        self.0.iter().map(Shard::lock)
    }

    pub(super) fn len(&self) -> usize {
        self.lock_each()
            .map(|keys| keys.entries.len() + keys.light.len())
            .sum()
    }

    /// Adds up the counters of all shards.
    pub(super) fn stats(&self) -> LimiterStats {
        let mut sum = LimiterStats::default();
        for keys in self.lock_each() {
            sum.bans += keys.stats.bans;
            sum.lease_calls += keys.stats.lease_calls;
            sum.lease_failures += keys.stats.lease_failures;
            sum.lease_waits += keys.stats.lease_waits;
            sum.given_back += keys.stats.given_back;
        }
        sum
    }
}

impl Shard {
    /// Locks the keys of this shard, even if a thread panicked with the lock: a decision changes the state last.
    fn lock(&self) -> MutexGuard<'_, ShardKeys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardKeys {
    pub(super) fn clone_state(&self, key_id: i64, now: &Now) -> Option<KeyState> {
        let light = |key: &LightKey| key.unpack(now).state;
        let entry = self.entries.get(&key_id).map(|entry| entry.state.clone());
        entry.or_else(|| self.light.get(key_id).map(light))
    }

    pub(super) fn contains(&self, key_id: i64) -> bool {
        self.entries.contains_key(&key_id) || self.light.get(key_id).is_some()
    }

    /// Adds a key, in few bytes if they suffice. A shard has room for at most `max_light` such keys.
    pub(super) fn insert(&mut self, key_id: i64, entry: KeyEntry, max_light: usize, now: &Now) {
        if !self.light.insert(key_id, &entry, max_light, now) {
            self.entries.insert(key_id, entry);
        }
    }

    /// Stores a key in few bytes if they suffice, and there is room.
    pub(super) fn pack(&mut self, key_id: i64, max_light: usize, now: &Now) {
        if let Some(mut entry) = self.entries.remove(&key_id) {
            entry.state.refusals.forget_old(now.steady());
            self.insert(key_id, entry, max_light, now);
        }
    }

    /// Stores keys without a request in the current minute in few bytes.
    pub(super) fn pack_idle(&mut self, max_light: usize, now: &Now) {
        let minute = now.start_of(Window::Minute) - now.stepped;
        let idle = self.entries.iter().filter(|(_, it)| it.last_seen < minute);
        for key_id in idle.map(|(key_id, _)| *key_id).collect::<Vec<_>>() {
            self.pack(key_id, max_light, now);
        }
        // Gives back what a rush of keys took.
        if self.entries.capacity() > 4 * self.entries.len() {
            self.entries.shrink_to(2 * self.entries.len());
        }
    }

    /// Finds at most `max` keys without a request after `since` (steady seconds) that can leave memory. Those of which the
    /// ledger knows everything leave at once.
    pub(super) fn find_idle(&mut self, since: i64, now: &Now, max: usize) -> Vec<i64> {
        let light_since = since.saturating_add(now.stepped);
        let is_idle = |key: &LightKey| key.minute_start() <= light_since;
        self.light.forget(|key| is_idle(key) && key.is_settled());
        let entries = self.entries.iter();
        let entries = entries.filter(|(_, it)| it.last_seen <= since && it.can_leave(now));
        let light = self.light.iter().filter(|(_, key)| is_idle(key));
        entries
            .map(|(key_id, _)| *key_id)
            .chain(light.map(|(key_id, _)| key_id))
            .take(max)
            .collect()
    }

    /// Finds the light keys with the oldest last requests, at most `max`.
    pub(super) fn find_oldest_light(&self, max: usize) -> Vec<i64> {
        let minutes = self.light.iter().map(|(id, key)| (key.minute_start(), id));
        let mut minutes: Vec<_> = minutes.collect();
        if max < minutes.len() {
            minutes.select_nth_unstable(max);
            minutes.truncate(max);
        }
        minutes.into_iter().map(|(_, key_id)| key_id).collect()
    }

    /// Finds the key with the oldest last request that can leave memory, other than the key `except`.
    pub(super) fn find_oldest(&self, now: &Now, except: i64) -> Option<i64> {
        self.entries
            .iter()
            .filter(|(key_id, entry)| **key_id != except && entry.can_leave(now))
            .min_by_key(|(_, entry)| entry.last_seen)
            .map(|(key_id, _)| *key_id)
    }

    /// Takes back the leases of a key, and returns the adjustments for the ledger.
    pub(super) fn return_all(&mut self, key_id: i64, now: &Now) -> Vec<Adjustment> {
        if let Some(entry) = self.entries.get_mut(&key_id) {
            return entry.return_all(key_id, now).into();
        }
        let Some(mut entry) = self.light.remove(key_id).map(|it| it.unpack(now)) else {
            return Vec::new();
        };
        let mut adjustments = entry.return_all(key_id, now).to_vec();
        adjustments.retain(|it| it.amount != 0);
        adjustments
    }

    /// Takes back the leases of a key that leaves memory by this call, and returns the adjustments for the ledger.
    pub(super) fn start_return(
        &mut self,
        key_id: i64,
        call: &LedgerCall,
        now: &Now,
    ) -> Option<[Adjustment; 2]> {
        let entry = self.find_entry(key_id, now)?;
        entry.call = Some(call.clone());
        Some(entry.return_all(key_id, now))
    }

    /// Starts a call by which a key gives back what it has leased of a window. `None` if the key is not in memory, or if it
    /// has to wait for another call first.
    pub(super) fn start_give_back(
        &mut self,
        key_id: i64,
        window: Window,
        call: &LedgerCall,
        now: &Now,
    ) -> Option<Adjustment> {
        let entry = self.find_entry(key_id, now)?;
        if entry.pending_call().is_some() {
            entry.wanted.push(window);
            return None;
        }
        entry.state.advance(now);
        entry.call = Some(call.clone());
        Some(lease::give_back(key_id, &mut entry.state.windows, window))
    }

    /// Finds a key in memory, to be changed. A light key becomes one that is not.
    pub(super) fn find_entry(&mut self, key_id: i64, now: &Now) -> Option<&mut KeyEntry> {
        if let Some(key) = self.light.remove(key_id) {
            self.entries.insert(key_id, key.unpack(now));
        }
        self.entries.get_mut(&key_id)
    }

    /// Applies the results of the adjustments of a key, or their failure at `now`. Returns the windows of which another
    /// server needs requests.
    pub(super) fn apply_results(
        &mut self,
        adjustments: &[Adjustment],
        result: Result<&[Adjusted], &StorageError>,
        max_light: usize,
        now: &Now,
    ) -> Vec<Window> {
        let Some(key_id) = adjustments.first().map(|adjustment| adjustment.key_id) else {
            return Vec::new();
        };
        let Some(entry) = self.entries.get_mut(&key_id) else {
            return Vec::new();
        };
        entry.state.advance(now);
        if let Some(ban) = result
            .iter()
            .flat_map(|all| all.iter())
            .find_map(|it| it.ban)
        {
            entry.state.adopt_ban(&ban);
        }
        let windows = &mut entry.state.windows;
        for (index, adjustment) in adjustments.iter().enumerate() {
            match result {
                Ok(adjusted) => {
                    if let Some(adjusted) = adjusted.get(index) {
                        lease::apply_lease_result(windows, adjustment, adjusted, now);
                    }
                }
                Err(_) => lease::forfeit(windows, adjustment),
            }
        }
        entry.call = None;
        entry.failed = result.err().map(|fault| FailedCall {
            at: now.steady(),
            unreported: Some(fault.clone()),
        });
        let wanted = std::mem::take(&mut entry.wanted);
        // It has sent few requests in this minute.
        if entry.state.windows.minute.leased == 0 {
            self.pack(key_id, max_light, now);
        }
        wanted
    }
}
