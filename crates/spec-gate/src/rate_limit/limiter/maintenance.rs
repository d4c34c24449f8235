//! The maintenance of the keys in memory: what a clock step, idle keys and the stop of the server require.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::key_limiter::KeyLimiter;
use super::shards::LedgerCall;
use crate::rate_limit::lease;
use crate::rate_limit::ledger::Ledger;
use crate::storage_error::StorageError;

/// The largest number of adjustments in one write to the ledger, so that other writes get their turn.
const MAX_ADJUSTMENTS: usize = 1000;

/// A key leaves memory after so many seconds without a request. It exceeds the time for which a refused request counts.
const IDLE_AFTER: i64 = 10 * 60;

impl<L: Ledger> KeyLimiter<L> {
    /// Makes up for a clock step in memory; the next sweep does it in the ledger.
    pub(super) fn carry_over(self: &Arc<Self>) {
        self.carry_over_due.store(true, Ordering::SeqCst);
        for mut keys in self.keys.lock_each() {
            let now = self.time.now();
            for entry in keys.entries.values_mut() {
                entry.state.advance(&now);
                entry.ban_is_unsaved |= entry.is_banned(&now);
            }
        }
        self.load_bans();
    }

    /// Loads all banned keys, once and after the first clock step: only in memory a ban outlasts steps. If that fails,
    /// the next sweep repeats it.
    fn load_bans(self: &Arc<Self>) {
        let now = self.time.now();
        if now.has_stepped() && !self.has_bans.load(Ordering::SeqCst) {
            let bans = self.ledger.read_banned(now.steady());
            let loaded = bans.and_then(|keys| keys.into_iter().try_for_each(|it| self.load(it)));
            self.has_bans.store(loaded.is_ok(), Ordering::SeqCst);
        }
    }

    /// Removes keys without recent requests from memory, and returns their leases. Stores what a clock step changed.
    pub(super) async fn sweep(self: &Arc<Self>) {
        self.load_bans();
        self.store_windows().await;
        self.store_bans().await;
        let now = &self.time.now();
        let idle_since = now.steady() - IDLE_AFTER;
        let mut returns = Vec::new();
        for mut keys in self.keys.lock_each() {
            if self.is_closed() {
                return;
            }
            let idle = keys.find_idle(idle_since, now, MAX_ADJUSTMENTS);
            if !idle.is_empty() {
                let (adjustments, result) =
                    keys.start_return(&idle, self.policy.ledger_timeout, now);
                returns.push((idle, adjustments, result));
            }
        }
        for (idle, adjustments, result) in returns {
            self.run(adjustments, result).await;
            self.remove(&idle, idle_since);
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
        if self.time.now().has_stepped() {
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
        let mut adjustments = Vec::new();
        for mut keys in self.keys.lock_each() {
            let now = self.time.now();
            for (key_id, entry) in &mut keys.entries {
                entry.state.advance(&now);
                adjustments.extend(lease::return_all(*key_id, &mut entry.state.windows));
            }
        }
        let mut outcome = Ok(());
        for chunk in adjustments.chunks(MAX_ADJUSTMENTS) {
            let result = self.adjust(chunk.to_vec()).await;
            outcome = outcome.and(result.map(drop));
        }
        outcome
    }
}
