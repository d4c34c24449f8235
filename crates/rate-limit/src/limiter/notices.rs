//! What the limiter does at the notices of other servers that use the same ledger.

use std::sync::Arc;

use tokio::task::AbortHandle;

use super::entry::LedgerCall;
use super::key_limiter::KeyLimiter;
use crate::ban::Ban;
use crate::ledger::{Ledger, Notice};
use crate::storage_error::StorageError;
use crate::window::Window;

impl<L: Ledger> KeyLimiter<L> {
    /// Starts to take notices, in a task that does not keep the limiter alive.
    pub(super) fn start_notices(self: &Arc<Self>) -> AbortHandle {
        let (limiter, ledger) = (Arc::downgrade(self), Arc::clone(&self.ledger));
        let task = self.runtime.spawn(async move {
            loop {
                let notice = ledger.next_notice().await;
                let Some(limiter) = limiter.upgrade() else {
                    return;
                };
                limiter.take_notice(notice).await;
            }
        });
        task.abort_handle()
    }

    async fn take_notice(self: &Arc<Self>, notice: Notice) {
        match notice {
            Notice::GiveBack { key_id, window } => self.give_back(key_id, window),
            Notice::Banned { key_id, ban } => self.adopt_ban(key_id, &ban),
            // A key that cannot be read learns of its ban with its next lease.
            Notice::Missed => drop(self.read_bans_of_keys_in_memory().await),
        }
    }

    /// Gives back what is leased of a window, after the call to the ledger that is under way.
    pub(super) fn give_back(self: &Arc<Self>, key_id: i64, window: Window) {
        let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
        let mut keys = self.keys.lock(key_id);
        let now = self.time.now();
        if let Some(adjustment) = keys.start_give_back(key_id, window, &call, &now) {
            keys.stats.given_back += 1;
            keys.stats.lease_calls += 1;
            let this = Arc::clone(self);
            self.runtime
                .spawn(async move { this.run(vec![adjustment], result).await });
        }
    }

    fn adopt_ban(&self, key_id: i64, ban: &Ban) {
        let mut keys = self.keys.lock(key_id);
        if let Some(entry) = keys.find_entry(key_id, &self.time.now()) {
            entry.state.adopt_ban(ban);
        }
    }

    async fn read_bans_of_keys_in_memory(&self) -> Result<(), StorageError> {
        for key_id in self.ledger.read_banned(self.time.now().wall).await? {
            if self.keys.lock(key_id).contains(key_id) {
                let entry = self.ledger.read_entry(key_id).await?;
                self.adopt_ban(key_id, &entry.ban);
            }
        }
        Ok(())
    }
}
