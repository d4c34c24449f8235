//! The calls to the ledger: they load keys, lease and return requests, record bans, and store whether credit is given. Of
//! each key at most one adjusts its leases at a time.

use std::sync::Arc;

use tokio::task::AbortHandle;
use tokio::time::{Duration, timeout};

use super::Shared;
use super::entry::{CallResult, KeyEntry, LedgerCall};
use super::state::State;
use crate::ban::Ban;
use crate::credit::CrashCounts;
use crate::decide::Account;
use crate::lease;
use crate::ledger::{Adjustment, Ledger, LedgerEntry, Notice};
use crate::now::Now;
use crate::storage_error::StorageError;
use crate::window::{RateLimits, Window};

/// How often a server without notices looks whether a sweep is due, if its ledger is shared.
const SWEEP_CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl<L: Ledger> Shared<L> {
    /// Returns the call to the ledger about this key that is under way, or starts one in the background that leases
    /// requests: enough for another one of this cost, of which one waits for `needed`. `None` if the last call failed in this
    /// second, so that a broken ledger is not kept busy, or if the limiter is closed.
    pub(super) fn find_or_start_adjustment(
        self: &Arc<Self>,
        state: &mut State,
        account: &Account,
        (cost, needed): (u64, u64),
        gives_credit: bool,
    ) -> Option<Arc<LedgerCall>> {
        let second = state.now.steady();
        let entry = state.keys.get_mut(&account.key_id)?;
        if let Some(call) = entry.pending_call() {
            return Some(Arc::clone(call));
        }
        if state.is_closed || entry.failed.as_ref().is_some_and(|it| it.at == second) {
            return None;
        }
        let windows = &mut entry.state.windows;
        let (key_id, limits) = (account.key_id, account.limits);
        let adjustments =
            lease::compute_adjustments(key_id, windows, limits, gives_credit, cost, needed);
        let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
        entry.call = Some(Arc::clone(&call));
        entry.is_awaited |= needed > 0;
        state.stats.lease_calls += 1;
        self.start(adjustments, result);
        Some(call)
    }

    fn start(self: &Arc<Self>, adjustments: Vec<Adjustment>, call: CallResult) {
        let this = Arc::clone(self);
        self.runtime
            .spawn(async move { this.run(adjustments, call).await });
    }

    /// Sends adjustments to the ledger, those of a key one after the other; applies the results, and completes the call.
    pub(super) async fn run(self: &Arc<Self>, adjustments: Vec<Adjustment>, call: CallResult) {
        let adjusted = self.ledger.adjust(adjustments.clone(), self.clock());
        let result = adjusted.await;
        let mut state = self.lock();
        state.ledger_fails = result.is_err();
        state.stats.lease_failures += u64::from(result.is_err());
        let mut done = 0;
        for group in adjustments.chunk_by(|one, next| one.key_id == next.key_id) {
            let end = done + group.len();
            let adjusted = result.as_deref();
            let adjusted = adjusted.map(|all| all.get(done..end).unwrap_or_default());
            state.apply_results(group, adjusted);
            done = end;
        }
        drop(state);
        call.send_replace(Some(result.map(drop)));
        for group in adjustments.chunk_by(|one, next| one.key_id == next.key_id) {
            self.give_back_wanted(&mut self.lock(), group[0].key_id);
        }
    }

    /// The time of the limiter, for a ledger that reads it in its transaction.
    pub(super) fn clock(self: &Arc<Self>) -> impl Fn() -> Now + Send + Sync + 'static {
        let this = Arc::clone(self);
        move || this.lock().now
    }

    /// Stores a ban in the ledger. Until it is stored, the key stays in memory, so that the ban holds nevertheless.
    pub(super) async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        let result = self.ledger.record_ban(key_id, ban).await;
        let mut state = self.lock();
        state.ledger_fails = result.is_err();
        result?;
        if state.keys.get(&key_id).is_none_or(|it| it.state.ban == ban) {
            state.unsaved_bans.remove(&key_id);
        }
        Ok(())
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

    /// Adds a key to those in memory, and makes room if there are too many.
    pub(super) fn insert(
        self: &Arc<Self>,
        key_id: i64,
        entry: &LedgerEntry,
        limits: Option<RateLimits>,
    ) {
        let mut state = self.lock();
        // Another request may have loaded it meanwhile, and used some of it.
        if !state.keys.contains_key(&key_id) {
            // If the ledger cannot be read, nobody knows whether it stopped properly.
            let crashes = state.current_crashes();
            let crashes = crashes.unwrap_or_else(|| CrashCounts::unknown(&state.now));
            let loaded = state.state_of(entry, limits, &crashes);
            if loaded.ban != entry.ban {
                state.unsaved_bans.insert(key_id);
            }
            let loaded = KeyEntry::new(loaded, &state.now);
            state.keys.insert(key_id, loaded);
        }
        if state.keys.len() > self.policy.max_keys && !state.makes_room {
            state.makes_room = true;
            let this = Arc::clone(self);
            self.runtime.spawn(async move { this.make_room().await });
        }
    }

    /// The crashes that count in the current windows. They are read once.
    pub(super) async fn crashes(&self) -> Result<CrashCounts, StorageError> {
        let known = self.lock().current_crashes();
        match known {
            Some(crashes) => Ok(crashes),
            None => {
                let record = self.ledger.read_credit().await?;
                Ok(self.lock().start_after(&record))
            }
        }
    }

    /// Starts to store in the ledger that credit is given, at most once a second until it has succeeded. Only then
    /// credit is given.
    pub(super) fn open_credit(self: &Arc<Self>, state: &mut State) {
        let (now, credit) = (state.now.steady(), &mut state.credit);
        let is_due = !credit.is_open && credit.called_at < now;
        if self.ledger.is_shared() || state.is_closed || !is_due {
            return;
        }
        credit.called_at = now;
        let this = Arc::clone(self);
        self.runtime.spawn(async move {
            if this.store_credit(true).await.is_ok() {
                let credit = &mut this.lock().credit;
                (credit.is_stored, credit.is_open) = (true, true);
            }
        });
    }

    /// Stores in the ledger that all requests on credit are recorded, and the crashes before the start are counted.
    pub(super) async fn close_credit(&self) -> Result<(), StorageError> {
        let is_stored = self.lock().credit.is_stored;
        if is_stored {
            self.store_credit(false).await
        } else {
            Ok(())
        }
    }

    async fn store_credit(&self, is_open: bool) -> Result<(), StorageError> {
        let record = self.crashes().await?.record(is_open);
        self.ledger.store_credit(record).await
    }

    /// Starts to take the notices of other servers, in a task that does not keep the limiter alive.
    pub(super) fn start_notices(self: &Arc<Self>) -> AbortHandle {
        let (limiter, ledger) = (Arc::downgrade(self), Arc::clone(&self.ledger));
        let task = self.runtime.spawn(async move {
            loop {
                let notice = timeout(SWEEP_CHECK_INTERVAL, ledger.next_notice()).await;
                let Some(limiter) = limiter.upgrade() else {
                    return;
                };
                let Ok(notice) = notice else {
                    // Servers that start after a step of the ledger's clock learn of it even if no request comes here.
                    limiter.start_due_sweep(&mut limiter.lock());
                    continue;
                };
                match notice {
                    Notice::GiveBack { key_id, window } => {
                        limiter.give_back(&mut limiter.lock(), key_id, window);
                    }
                    Notice::Banned { key_id, ban } => limiter.adopt_ban(key_id, &ban),
                    // A key that cannot be read learns of its ban with its next lease.
                    Notice::Missed => drop(limiter.read_bans_of_keys_in_memory().await),
                }
            }
        });
        task.abort_handle()
    }

    /// Gives back what is leased of a window, after the call to the ledger that is under way or awaited.
    pub(super) fn give_back(self: &Arc<Self>, state: &mut State, key_id: i64, window: Window) {
        let now = state.now;
        let Some(entry) = state.keys.get_mut(&key_id) else {
            return;
        };
        if entry.is_awaited || entry.pending_call().is_some() {
            if !entry.wanted.contains(&window) {
                entry.wanted.push(window);
            }
            return;
        }
        entry.state.advance_windows(&now);
        let adjustment = lease::give_back(key_id, &mut entry.state.windows, window);
        let (call, result) = LedgerCall::start(self.policy.ledger_timeout);
        entry.call = Some(call);
        state.stats.given_back += 1;
        state.stats.lease_calls += 1;
        self.start(vec![adjustment], result);
    }

    /// Gives back what other servers have asked for, unless a call to the ledger is under way or awaited.
    pub(super) fn give_back_wanted(self: &Arc<Self>, state: &mut State, key_id: i64) {
        let Some(entry) = state.keys.get_mut(&key_id) else {
            return;
        };
        if !entry.is_awaited && entry.pending_call().is_none() {
            for window in std::mem::take(&mut entry.wanted) {
                self.give_back(state, key_id, window);
            }
        }
    }

    fn adopt_ban(&self, key_id: i64, ban: &Ban) {
        if let Some(entry) = self.lock().keys.get_mut(&key_id) {
            entry.state.adopt_ban(ban);
        }
    }

    async fn read_bans_of_keys_in_memory(&self) -> Result<(), StorageError> {
        let now = self.lock().now.wall;
        for key_id in self.ledger.read_banned(now).await? {
            let entry = self.ledger.read_entry(key_id).await?;
            self.adopt_ban(key_id, &entry.ban);
        }
        Ok(())
    }
}
