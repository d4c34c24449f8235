//! How a key comes into memory, and which keys leave it then.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::entry::KeyEntry;
use super::key_limiter::KeyLimiter;
use super::shards::SHARDS;
use crate::credit::Crashes;
use crate::decide::{Account, KeyState};
use crate::ledger::{Ledger, LedgerEntry};
use crate::now::Now;
use crate::storage_error::StorageError;
use crate::window::RateLimits;

impl<L: Ledger> KeyLimiter<L> {
    /// The state at `now` of a key that the ledger stores as `entry`. Once all bans are in memory, its ban has ended. Until
    /// then it was stored by the clock without steps.
    pub(super) fn state_of(
        &self,
        entry: &LedgerEntry,
        limits: Option<RateLimits>,
        crashes: &Crashes,
        now: &Now,
    ) -> KeyState {
        let ban = if self.has_bans.load(Ordering::SeqCst) {
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

    /// Loads a key into memory. Without its limits it counts as one whose credit was lost in each crash.
    pub(super) async fn load(
        self: &Arc<Self>,
        key_id: i64,
        account: Option<&Account>,
    ) -> Result<(), StorageError> {
        self.crashes().await?;
        let entry = match account {
            // Without credit the key needs a lease anyway, and with it come its usage and its ban.
            Some(account) if self.ledger.is_shared() => LedgerEntry {
                ban: account.ban,
                ..LedgerEntry::default()
            },
            _ => self.ledger.read_entry(key_id).await?,
        };
        self.insert(key_id, &entry, account.map(|account| account.limits));
        Ok(())
    }

    /// Adds a key to those in memory. If the shard is full, the keys with the oldest last requests leave.
    pub(super) fn insert(
        self: &Arc<Self>,
        key_id: i64,
        entry: &LedgerEntry,
        limits: Option<RateLimits>,
    ) {
        let mut keys = self.keys.lock(key_id);
        let now = &self.time.now();
        // Another request may have loaded it meanwhile, and used some of it.
        if !keys.contains(key_id) {
            // If the ledger cannot be read, nobody knows whether it stopped properly.
            let crashes = self.credit.crashes(now);
            let crashes = crashes.unwrap_or_else(|| Crashes::unknown(now));
            let state = self.state_of(entry, limits, &crashes, now);
            let ban_is_unsaved = state.ban != entry.ban;
            let entry = KeyEntry {
                ban_is_unsaved,
                ..KeyEntry::new(state, now)
            };
            keys.insert(key_id, entry, self.max_light_keys_of_shard(), now);
        }
        let leaving = self.find_leaving(&mut keys, key_id, now);
        drop(keys);
        self.start_returns(leaving);
    }

    /// Starts to return the leases of keys that leave memory.
    pub(super) fn start_returns(self: &Arc<Self>, leaving: Vec<i64>) {
        if !leaving.is_empty() {
            let this = Arc::clone(self);
            self.runtime
                .spawn(async move { this.return_keys(&leaving).await });
        }
    }

    pub(super) fn max_keys_of_shard(&self) -> usize {
        self.policy.max_keys.div_ceil(SHARDS)
    }

    pub(super) fn max_light_keys_of_shard(&self) -> usize {
        self.policy.max_light_keys / SHARDS
    }
}
