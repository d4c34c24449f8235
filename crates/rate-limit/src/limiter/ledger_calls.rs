//! The calls to the ledger that lease and return requests and record bans: at most one at a time for each key.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::entry::{CallResult, KeyEntry, LedgerCall};
use super::key_limiter::KeyLimiter;
use super::shards::LimiterStats;
use crate::ban::Ban;
use crate::decide::{Account, Terms};
use crate::lease;
use crate::ledger::{Adjusted, Adjustment, Ledger};
use crate::now::Now;
use crate::storage_error::StorageError;

impl<L: Ledger> KeyLimiter<L> {
    /// Returns the call to the ledger about this key that is under way, or starts one in the background that leases
    /// requests: enough for another one of this cost, of which one waits for `needed`. `None` if the last call failed in this
    /// second, so that a broken ledger is not kept busy, or if the limiter is closed.
    pub(super) fn find_or_start_refill(
        self: &Arc<Self>,
        entry: &mut KeyEntry,
        stats: &mut LimiterStats,
        account: &Account,
        (cost, needed): (u64, u64),
        terms: Terms,
        now: &Now,
    ) -> Option<LedgerCall> {
        if let Some(call) = entry.pending_call() {
            return Some(call.clone());
        }
        if self.is_closed()
            || entry
                .failed
                .as_ref()
                .is_some_and(|it| it.at == now.steady())
        {
            return None;
        }
        let windows = &mut entry.state.windows;
        let credit = terms.gives_credit;
        let adjustments = lease::refill(
            account.key_id,
            windows,
            account.limits,
            credit,
            cost,
            needed,
        );
        let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
        entry.call = Some(call.clone());
        stats.lease_calls += 1;
        let this = Arc::clone(self);
        self.runtime
            .spawn(async move { this.run(adjustments, result).await });
        Some(call)
    }

    /// Sends adjustments to the ledger, those of a key one after the other; applies the results, and completes the call.
    pub(super) async fn run(self: &Arc<Self>, adjustments: Vec<Adjustment>, call: CallResult) {
        let result = self.adjust(adjustments.clone()).await;
        self.ledger_fails.store(result.is_err(), Ordering::Relaxed);
        let (mut done, mut wanted_windows) = (0, Vec::new());
        for group in adjustments.chunk_by(|one, next| one.key_id == next.key_id) {
            let end = done + group.len();
            let adjusted = result
                .as_ref()
                .map(|all| all.get(done..end).unwrap_or_default());
            let (key_id, now) = (group[0].key_id, self.time.now());
            let mut keys = self.keys.lock(key_id);
            keys.stats.lease_failures += u64::from(done == 0 && result.is_err());
            let max_light = self.max_light_keys_of_shard();
            let wanted = keys.apply_results(group, adjusted, max_light, &now);
            drop(keys);
            wanted_windows.extend(wanted.into_iter().map(|window| (key_id, window)));
            done = end;
        }
        call.send_replace(Some(result.map(drop)));
        for (key_id, window) in wanted_windows {
            self.give_back(key_id, window);
        }
    }

    pub(super) async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let time = Arc::clone(&self.time);
        self.ledger.adjust(adjustments, move || time.now()).await
    }

    /// Stores a ban in the ledger. Until it is stored, the key stays in memory, so that the ban holds nevertheless.
    pub(super) async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        let result = self.ledger.record_ban(key_id, ban).await;
        self.ledger_fails.store(result.is_err(), Ordering::Relaxed);
        result?;
        if let Some(entry) = self.keys.lock(key_id).entries.get_mut(&key_id)
            && entry.state.ban == ban
        {
            entry.ban_is_unsaved = false;
        }
        Ok(())
    }
}
