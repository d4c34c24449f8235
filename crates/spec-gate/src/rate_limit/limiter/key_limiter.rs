//! The limiter of keys: decisions from memory, and the calls to the ledger that load a key, lease and return
//! requests, and record a ban.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Handle;
use tokio::sync::watch;

use super::shards::{CallResult, KeyEntry, LedgerCall, LimiterStats, SHARDS, ShardKeys, Shards};
use crate::rate_limit::ban::Ban;
use crate::rate_limit::decide::{Account, KeyDecision, KeyState, decide};
use crate::rate_limit::decision::{Decision, Outcome};
use crate::rate_limit::latest_time::LatestTime;
use crate::rate_limit::lease;
use crate::rate_limit::ledger::{Adjustment, Ledger};
use crate::rate_limit::policy::LimiterPolicy;
use crate::rate_limit::window::{RateLimitInfo, Windows};
use crate::storage_error::StorageError;

/// The largest number of adjustments in one write to the ledger, so that other writes get their turn.
const MAX_ADJUSTMENTS: usize = 1000;

/// A key leaves memory after so many seconds without a request. It exceeds the time for which a refused request counts.
const IDLE_AFTER: i64 = 10 * 60;

/// The part of the limiter that decides on requests of keys. Its background tasks share it.
#[derive(Debug)]
pub(super) struct KeyLimiter<L> {
    pub(super) ledger: Arc<L>,
    pub(super) policy: LimiterPolicy,
    pub(super) time: LatestTime,
    pub(super) keys: Shards,
    pub(super) closed: AtomicBool,
    pub(super) runtime: Handle,
}

/// The result of an attempt to decide on a request from memory, without waiting for the ledger.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The decision.
    Decided(Outcome, RateLimitInfo),
    /// The key is banned once this ban is stored.
    BanTriggered(RateLimitInfo, Ban),
    /// The key is not in memory.
    NotLoaded,
    /// A lease is under way; the numbers are the last known ones.
    WaitsForLease(RateLimitInfo, LedgerCall),
}

impl<L: Ledger> KeyLimiter<L> {
    /// Tries to decide on a request from memory, and starts to renew the lease in the background if that is due.
    pub(super) fn attempt(self: &Arc<Self>, account: &Account, cost: u64, now: i64) -> Attempt {
        let mut guard = self.keys.lock(account.key_id);
        let ShardKeys { entries, stats } = &mut *guard;
        let Some(entry) = entries.get_mut(&account.key_id) else {
            return Attempt::NotLoaded;
        };
        entry.last_seen = entry.last_seen.max(now);
        entry.state.adopt_lifted_ban(&account.ban);
        let bans = self.policy.bans_enabled;
        let (decision, info) = decide(&mut entry.state, account.limits, bans, now, cost);
        let outcome = match decision {
            KeyDecision::Admitted => {
                if lease::is_refill_due(&entry.state.windows, account.limits)
                    && cost > 0
                    && entry.pending_call().is_none()
                {
                    // If the ledger fails, the requests that need the lease get the error.
                    let _ = self.start_refill(entry, stats, account, cost);
                }
                Outcome::Admitted
            }
            KeyDecision::NeedsLease => {
                let pending = entry.pending_call().cloned();
                match pending.or_else(|| self.start_refill(entry, stats, account, cost)) {
                    Some(call) => {
                        stats.lease_waits += 1;
                        return Attempt::WaitsForLease(info, call);
                    }
                    None => Outcome::Unavailable,
                }
            }
            KeyDecision::RateLimited(window) => Outcome::RateLimited(window),
            KeyDecision::BanTriggered => {
                entry.ban_is_unsaved = true;
                stats.bans += 1;
                return Attempt::BanTriggered(info, entry.state.ban);
            }
            KeyDecision::Banned => Outcome::Banned,
        };
        Attempt::Decided(outcome, info)
    }

    /// Does what `attempt` requires. After loading the key or waiting for a lease it tries again; a decision, a ban
    /// (which it stores) and a failure end the loop.
    pub(super) async fn charge_slow_path(
        self: &Arc<Self>,
        account: &Account,
        cost: u64,
        mut now: i64,
        mut attempt: Attempt,
    ) -> Decision {
        loop {
            match attempt {
                Attempt::Decided(outcome, info) => return Decision::new(outcome, info),
                Attempt::BanTriggered(info, ban) => {
                    let mut decision = Decision::new(Outcome::Banned, info);
                    decision.fault = self.record_ban(account.key_id, ban).await.err();
                    return decision;
                }
                Attempt::NotLoaded => {
                    if let Err(fault) = self.load(account.key_id, now) {
                        let info = Windows::unused_at(now).rate_limit(account.limits);
                        return Decision::unavailable(info, fault);
                    }
                }
                Attempt::WaitsForLease(info, call) => {
                    if let Err(fault) = call.wait().await {
                        return Decision::unavailable(info, fault);
                    }
                    now = self.time.get();
                }
            }
            attempt = self.attempt(account, cost, now);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Removes keys without recent requests from memory, and returns their leases.
    pub(super) async fn sweep(&self, now: i64) {
        let idle_since = now - IDLE_AFTER;
        let mut returns = Vec::new();
        for mut keys in self.keys.lock_each() {
            if self.is_closed() {
                return;
            }
            let idle = keys.find_idle(idle_since, now, MAX_ADJUSTMENTS);
            if !idle.is_empty() {
                let (adjustments, result) = keys.start_return(&idle);
                returns.push((idle, adjustments, result));
            }
        }
        for (idle, adjustments, result) in returns {
            self.run(adjustments, result).await;
            self.remove(&idle, idle_since);
        }
    }

    /// Waits for the pending calls to the ledger, then returns all leases.
    pub(super) async fn return_everything(&self) -> Result<(), StorageError> {
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
        let now = self.time.get();
        let mut adjustments = Vec::new();
        for mut keys in self.keys.lock_each() {
            for (key_id, entry) in &mut keys.entries {
                adjustments.extend(lease::return_all(*key_id, &mut entry.state.windows));
            }
        }
        let mut outcome = Ok(());
        for chunk in adjustments.chunks(MAX_ADJUSTMENTS) {
            let result = self.ledger.adjust(chunk.to_vec(), now).await;
            outcome = outcome.and(result.map(drop));
        }
        outcome
    }

    /// Loads a key from the ledger into memory. If the shard is full, its key with the oldest last request leaves.
    fn load(self: &Arc<Self>, key_id: i64, now: i64) -> Result<(), StorageError> {
        let state = KeyState::new(&self.ledger.read_entry(key_id)?, now);
        let mut keys = self.keys.lock(key_id);
        // Another request may have loaded it meanwhile, and used some of it.
        keys.entries
            .entry(key_id)
            .or_insert_with(|| KeyEntry::new(state, now));
        if keys.entries.len() > self.policy.max_keys.div_ceil(SHARDS)
            && let Some(oldest) = keys.find_oldest(now, key_id)
        {
            let (adjustments, result) = keys.start_return(&[oldest]);
            let this = Arc::clone(self);
            self.runtime.spawn(async move {
                this.run(adjustments, result).await;
                this.remove(&[oldest], now);
            });
        }
        Ok(())
    }

    /// Starts a background task that leases requests for a key; `None` if the limiter is closed.
    fn start_refill(
        self: &Arc<Self>,
        entry: &mut KeyEntry,
        stats: &mut LimiterStats,
        account: &Account,
        cost: u64,
    ) -> Option<LedgerCall> {
        if self.is_closed() {
            return None;
        }
        let windows = &mut entry.state.windows;
        let adjustments = lease::refill(account.key_id, windows, account.limits, cost);
        let (result, receiver) = watch::channel(None);
        let call = LedgerCall(receiver);
        entry.call = Some(call.clone());
        stats.lease_calls += 1;
        let this = Arc::clone(self);
        self.runtime
            .spawn(async move { this.run(adjustments, result).await });
        Some(call)
    }

    /// Sends adjustments for keys of one shard to the ledger, applies the results, and completes the call.
    async fn run(&self, adjustments: Vec<Adjustment>, call: CallResult) {
        let now = self.time.get();
        let result = self.ledger.adjust(adjustments.clone(), now).await;
        if let Some(first) = adjustments.first() {
            self.keys
                .lock(first.key_id)
                .apply_results(&adjustments, &result);
        }
        call.send_replace(Some(result.map(drop)));
    }

    /// Stores a ban in the ledger. Until it is stored, the key stays in memory, so that the ban holds nevertheless.
    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.ledger.record_ban(key_id, ban).await?;
        if let Some(entry) = self.keys.lock(key_id).entries.get_mut(&key_id)
            && entry.state.ban == ban
        {
            entry.ban_is_unsaved = false;
        }
        Ok(())
    }

    /// Removes keys that have returned their leases, unless they were seen after `since` (Unix seconds).
    fn remove(&self, key_ids: &[i64], since: i64) {
        for key_id in key_ids {
            let mut keys = self.keys.lock(*key_id);
            if keys.entries.get(key_id).is_some_and(|entry| {
                let windows = &entry.state.windows;
                let leased = windows.minute.leased + windows.day.leased;
                entry.last_seen <= since && leased == 0 && entry.pending_call().is_none()
            }) {
                keys.entries.remove(key_id);
            }
        }
    }
}
