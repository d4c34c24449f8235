//! The maintenance of the keys in memory: what a clock step, full memory, idle keys and the stop of the server
//! require.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Shared;
use super::entry::LedgerCall;
use super::state::State;
use crate::lease;
use crate::ledger::{Adjustment, Ledger};
use crate::storage_error::StorageError;

/// The largest number of keys in one write to the ledger, so that other writes get their turn.
const MAX_KEYS_IN_CALL: usize = 2000;

/// The largest number of keys that leave memory by one sweep.
const MAX_LEAVING: usize = 100_000;

/// The time for returning all leases at the stop of the server, which has ten seconds in all. A million keys can take
/// longer.
const RETURN_TIMEOUT: Duration = Duration::from_secs(3);

/// A key leaves memory after so many seconds without a request. It exceeds the time for which a refused request counts.
const IDLE_AFTER: i64 = 10 * 60;

impl<L: Ledger> Shared<L> {
    /// Removes keys without recent requests from memory, and returns their leases. Stores what a clock step changed.
    pub(super) async fn sweep(self: &Arc<Self>) {
        self.load_bans().await;
        self.store_windows().await;
        self.store_bans().await;
        let idle = {
            let mut state = self.lock();
            // Gives back what a rush of keys took.
            if state.keys.capacity() > 4 * state.keys.len() {
                state.keys.shrink_to_fit();
            }
            state.find_idle(state.now.steady() - IDLE_AFTER, MAX_LEAVING)
        };
        self.return_keys(idle).await;
    }

    /// Removes the keys with the oldest last requests from memory, and returns their leases.
    pub(super) async fn make_room(self: &Arc<Self>) {
        let leaving = (self.policy.max_keys / 100 + 1).min(MAX_KEYS_IN_CALL);
        let oldest = self.lock().find_oldest(leaving);
        self.return_keys(oldest).await;
        self.lock().makes_room = false;
    }

    /// Loads all banned keys, once and after the first clock step: only in memory a ban outlasts steps. If that fails,
    /// the next sweep repeats it. If several servers ban keys, each keeps its own.
    async fn load_bans(self: &Arc<Self>) {
        let (now, has_bans) = {
            let state = self.lock();
            (state.now, state.has_bans)
        };
        if now.has_stepped() && !has_bans && !self.ledger.is_shared() {
            let loaded = async {
                for key_id in self.ledger.read_banned(now.steady()).await? {
                    self.load(key_id, None).await?;
                }
                Ok::<_, StorageError>(())
            };
            let has_bans = loaded.await.is_ok();
            self.lock().has_bans = has_bans;
        }
    }

    /// Stores windows as a clock step has changed them, if that is due. If it fails, the next sweep repeats it.
    async fn store_windows(self: &Arc<Self>) {
        let is_due = std::mem::take(&mut self.lock().carry_over_due);
        if is_due {
            let stored = self.ledger.carry_over(self.clock()).await;
            self.lock().carry_over_due |= stored.is_err();
        }
    }

    /// Stores bans that the ledger does not have, or has with another end.
    async fn store_bans(&self) {
        let unsaved: Vec<_> = {
            let state = self.lock();
            let key_ids = state.unsaved_bans.iter();
            let bans = key_ids.filter_map(|it| Some((*it, state.keys.get(it)?.state.ban)));
            bans.collect()
        };
        for (key_id, ban) in unsaved {
            // It stays unsaved if it cannot be stored, or is another one meanwhile.
            let _ = self.record_ban(key_id, ban).await;
        }
    }

    /// Returns the leases of keys. Then they leave memory, unless they were seen meanwhile.
    async fn return_keys(self: &Arc<Self>, mut key_ids: Vec<i64>) {
        // The ledger stores neighbours together.
        key_ids.sort_unstable();
        for key_ids in key_ids.chunks(MAX_KEYS_IN_CALL) {
            let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
            let adjustments = {
                let mut state = self.lock();
                if state.is_closed {
                    return;
                }
                state.stats.lease_calls += 1;
                self.return_leases(&mut state, key_ids, Some(&call))
            };
            self.run(adjustments, result).await;
            let mut state = self.lock();
            for key_id in key_ids {
                if state.keys.get(key_id).is_some_and(|entry| {
                    let windows = &entry.state.windows;
                    let leased = windows.minute.leased + windows.day.leased;
                    let is_settled = leased == 0 && !lease::owes(windows);
                    entry.is_leaving && is_settled && entry.pending_call().is_none()
                }) {
                    state.keys.remove(key_id);
                }
            }
        }
    }

    /// The adjustments that return the leases of keys to the ledger; with a call, which sends them, only of keys that can leave memory.
    fn return_leases(
        &self,
        state: &mut State,
        key_ids: &[i64],
        call: Option<&Arc<LedgerCall>>,
    ) -> Vec<Adjustment> {
        let (now, mut adjustments) = (state.now, Vec::new());
        for key_id in key_ids {
            // It may have begun a call of its own since it was found.
            let entry = state.keys.get(key_id);
            if call.is_some() && entry.is_none_or(|it| !state.can_leave(*key_id, it)) {
                continue;
            }
            if let Some(entry) = state.keys.get_mut(key_id) {
                entry.is_leaving = true;
                entry.call = call.cloned();
                adjustments.extend(entry.return_all(*key_id, &now));
            }
        }
        adjustments
    }

    /// Waits for the pending calls to the ledger, then returns all leases.
    pub(super) async fn return_everything(self: &Arc<Self>) -> Result<(), StorageError> {
        // Before the first request there is no time.
        if self.lock().now.wall > i64::MIN {
            self.store_windows().await;
        }
        self.store_bans().await;
        let pending: Vec<_> = {
            let state = self.lock();
            let calls = state.keys.values().filter_map(|it| it.pending_call());
            calls.cloned().collect()
        };
        for call in pending {
            // Failed or not, nothing more of it is under way.
            let _ = call.wait().await;
        }
        let mut key_ids: Vec<i64> = self.lock().keys.keys().copied().collect();
        // The ledger stores neighbours together.
        key_ids.sort_unstable();
        let mut outcome = Ok(());
        let deadline = Instant::now() + RETURN_TIMEOUT;
        for chunk in key_ids.chunks(MAX_KEYS_IN_CALL) {
            if deadline <= Instant::now() {
                let message = "there was no time to store the usage of all keys";
                return Err(StorageError::unavailable(message));
            }
            let adjustments = self.return_leases(&mut self.lock(), chunk, None);
            let result = self.ledger.adjust(adjustments, self.clock()).await;
            outcome = outcome.and(result.map(drop));
        }
        outcome
    }
}
