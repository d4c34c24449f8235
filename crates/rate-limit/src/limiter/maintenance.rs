//! The maintenance of the keys in memory: what a clock step, full memory, idle keys and the stop of the server
//! require.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::entry::LedgerCall;
use super::key_limiter::KeyLimiter;
use super::light::LightKey;
use super::shards::ShardKeys;
use crate::lease;
use crate::ledger::Ledger;
use crate::now::Now;
use crate::storage_error::StorageError;

/// The largest number of keys in one write to the ledger, so that other writes get their turn.
const MAX_KEYS_IN_CALL: usize = 2000;

/// The largest number of keys of a shard that leave memory by one sweep.
const MAX_LEAVING: usize = 1000;

/// The time for returning all leases at the stop of the server, which has ten seconds in all. A million light keys can take
/// longer.
const RETURN_TIMEOUT: Duration = Duration::from_secs(3);

/// The number of light keys that leave a shard together when it is full.
const LIGHT_KEYS_LEAVING: usize = 256;

/// A key leaves memory after so many seconds without a request. It exceeds the time for which a refused request counts.
const IDLE_AFTER: i64 = 10 * 60;

impl<L: Ledger> KeyLimiter<L> {
    /// Makes up for a clock step in memory; the next sweep does it in the ledger, and loads the bans.
    pub(super) fn carry_over(self: &Arc<Self>) {
        self.carry_over_due.store(true, Ordering::SeqCst);
        self.credit.advance(&self.time.now());
        for mut keys in self.keys.lock_each() {
            let now = self.time.now();
            for entry in keys.entries.values_mut() {
                entry.state.advance(&now);
                entry.ban_is_unsaved |= entry.is_banned(&now);
            }
            for key in keys.light.values_mut() {
                let mut entry = key.unpack(&now);
                entry.state.advance(&now);
                *key = LightKey::pack(&entry, &now).unwrap_or(*key);
            }
        }
    }

    /// Loads all banned keys, once and after the first clock step: only in memory a ban outlasts steps. If that fails,
    /// the next sweep repeats it.
    async fn load_bans(self: &Arc<Self>) {
        let now = self.time.now();
        if now.has_stepped() && !self.has_bans.load(Ordering::SeqCst) {
            let loaded = async {
                for key_id in self.ledger.read_banned(now.steady()).await? {
                    self.load(key_id, None).await?;
                }
                Ok::<_, StorageError>(())
            };
            self.has_bans.store(loaded.await.is_ok(), Ordering::SeqCst);
        }
    }

    /// Removes keys without recent requests from memory, and returns their leases. Stores what a clock step changed.
    pub(super) async fn sweep(self: &Arc<Self>) {
        self.load_bans().await;
        self.store_windows().await;
        self.store_bans().await;
        let now = &self.time.now();
        let mut idle = Vec::new();
        for mut keys in self.keys.lock_each() {
            keys.pack_idle(self.max_light_keys_of_shard(), now);
            idle.extend(keys.find_idle(now.steady() - IDLE_AFTER, now, MAX_LEAVING));
        }
        // The ledger stores neighbours together.
        idle.sort_unstable();
        for key_ids in idle.chunks(MAX_KEYS_IN_CALL) {
            if self.is_closed() {
                return;
            }
            self.return_keys(key_ids).await;
        }
    }

    /// Finds keys, other than the key `except`, that have to leave memory by a call to the ledger.
    pub(super) fn find_leaving(&self, keys: &mut ShardKeys, except: i64, now: &Now) -> Vec<i64> {
        let mut leaving = Vec::new();
        if keys.entries.len() > self.max_keys_of_shard()
            && let Some(oldest) = keys.find_oldest(now, except)
        {
            keys.pack(oldest, self.max_light_keys_of_shard(), now);
            leaving.extend(keys.entries.contains_key(&oldest).then_some(oldest));
        }
        // While others still leave, new keys are not light, and wait for a lease.
        let has_room = keys.entries.len() + LIGHT_KEYS_LEAVING <= self.max_keys_of_shard();
        if has_room && keys.light.len() >= self.max_light_keys_of_shard() {
            let oldest = keys.find_oldest_light(LIGHT_KEYS_LEAVING);
            leaving.extend(oldest.into_iter().filter(|it| *it != except));
        }
        leaving
    }

    /// Returns the leases of keys in one call to the ledger. Then they leave memory, unless they were seen meanwhile.
    pub(super) async fn return_keys(self: &Arc<Self>, key_ids: &[i64]) {
        let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
        let mut adjustments = Vec::new();
        for key_id in key_ids {
            let mut keys = self.keys.lock(*key_id);
            keys.stats.lease_calls += u64::from(adjustments.is_empty());
            let started = keys.start_return(*key_id, &call, &self.time.now());
            adjustments.extend(started.into_iter().flatten());
        }
        let since = self.time.now().steady();
        self.run(adjustments, result).await;
        self.remove(key_ids, since);
    }

    /// Removes keys that have returned their leases, unless they were seen after `since` (steady seconds).
    fn remove(&self, key_ids: &[i64], since: i64) {
        for key_id in key_ids {
            let mut keys = self.keys.lock(*key_id);
            if keys.light.get(*key_id).is_some_and(LightKey::is_settled) {
                keys.light.remove(*key_id);
            }
            if keys.entries.get(key_id).is_some_and(|entry| {
                let windows = &entry.state.windows;
                let leased = windows.minute.leased + windows.day.leased;
                let settled = leased == 0 && !lease::owes(windows);
                entry.last_seen <= since && settled && entry.pending_call().is_none()
            }) {
                keys.entries.remove(key_id);
            }
        }
    }

    /// Stores windows as a clock step has changed them, if that is due. If it fails, the next sweep repeats it.
    async fn store_windows(&self) {
        if self.carry_over_due.swap(false, Ordering::SeqCst) {
            let time = Arc::clone(&self.time);
            let stored = self.ledger.carry_over(move || time.now()).await;
            if stored.is_err() {
                self.carry_over_due.store(true, Ordering::SeqCst);
            }
        }
    }

    /// Stores bans that are not stored yet, or otherwise.
    async fn store_bans(&self) {
        let mut unsaved = Vec::new();
        for keys in self.keys.lock_each() {
            let entries = keys.entries.iter().filter(|(_, it)| it.ban_is_unsaved);
            unsaved.extend(entries.map(|(key_id, entry)| (*key_id, entry.state.ban)));
        }
        for (key_id, ban) in unsaved {
            // It stays unsaved if it cannot be stored.
            let _ = self.record_ban(key_id, ban).await;
        }
    }

    /// Waits for the pending calls to the ledger, then returns all leases.
    pub(super) async fn return_everything(&self) -> Result<(), StorageError> {
        // Before the first request there is no time.
        if self.time.now().wall > i64::MIN {
            self.store_windows().await;
        }
        self.store_bans().await;
        let pending: Vec<LedgerCall> = self
            .keys
            .lock_each()
            .flat_map(|keys| {
                keys.entries
                    .values()
                    .filter_map(|entry| entry.pending_call().cloned())
                    .collect::<Vec<_>>()
            })
            .collect();
        for call in pending {
            // Failed or not, nothing more of it is under way.
            let _ = call.wait().await;
        }
        let (mut key_ids, mut light_ids) = (Vec::new(), Vec::new());
        for keys in self.keys.lock_each() {
            key_ids.extend(keys.entries.keys());
            let light = keys.light.iter().filter(|(_, key)| !key.is_settled());
            light_ids.extend(light.map(|(key_id, _)| key_id));
        }
        // The ledger stores neighbours together. A light key has less to lose.
        key_ids.sort_unstable();
        light_ids.sort_unstable();
        key_ids.extend(light_ids);
        let mut outcome = Ok(());
        let deadline = Instant::now() + RETURN_TIMEOUT;
        for chunk in key_ids.chunks(MAX_KEYS_IN_CALL) {
            if deadline <= Instant::now() {
                let message = "there was no time to store the usage of all keys";
                return Err(StorageError::unavailable(message));
            }
            let (now, mut adjustments) = (self.time.now(), Vec::new());
            for key_id in chunk {
                adjustments.extend(self.keys.lock(*key_id).return_all(*key_id, &now));
            }
            let result = self.adjust(adjustments).await;
            outcome = outcome.and(result.map(drop));
        }
        outcome
    }
}
