//! The limiter of keys: decisions from memory, and the calls to the ledger that load a key, lease requests, and record
//! a ban.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use spec_runtime::RateLimits;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::credit_state::CreditState;
use super::entry::{CallResult, KeyEntry, LedgerCall, timed_out};
use super::light::LightKey;
use super::shards::{LimiterStats, SHARDS, Shards};
use crate::rate_limit::ban::Ban;
use crate::rate_limit::credit::Crashes;
use crate::rate_limit::decide::{Account, KeyDecision, KeyState, Terms, decide};
use crate::rate_limit::decision::{Decision, Outcome};
use crate::rate_limit::latest_time::LatestTime;
use crate::rate_limit::lease;
use crate::rate_limit::ledger::{Adjusted, Adjustment, CreditRecord, Ledger, LedgerEntry};
use crate::rate_limit::now::Now;
use crate::rate_limit::policy::{LimiterPolicy, WithoutLedger};
use crate::rate_limit::usage::{RateLimitInfo, Windows};
use crate::storage_error::StorageError;

/// The part of the limiter that decides on requests of keys. Its background tasks share it.
#[derive(Debug)]
pub(super) struct KeyLimiter<L> {
    pub(super) ledger: Arc<L>,
    pub(super) policy: LimiterPolicy,
    pub(super) time: Arc<LatestTime>,
    /// Whether the ledger may hold windows under starts that a clock step has changed. At the start it may: the clock
    /// can have been set back since the last one.
    pub(super) carry_over_due: AtomicBool,
    /// Whether every key that is banned is in memory, which is so after the first clock step.
    pub(super) has_bans: AtomicBool,
    pub(super) keys: Shards,
    pub(super) closed: AtomicBool,
    /// Whether the last call to the ledger failed or did not return in time.
    pub(super) ledger_fails: AtomicBool,
    pub(super) runtime: Handle,
    pub(super) credit: CreditState,
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
    /// The decision without a lease, with an error of the ledger that is not reported yet.
    DecidedWithoutLease(Outcome, RateLimitInfo, Option<StorageError>),
    /// A lease is under way.
    WaitsForLease(LedgerCall),
}

/// Whether a request may wait for the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// It may wait.
    MayWait,
    /// It has waited for the ledger, which failed or did not answer in time.
    GaveUp,
}

impl<L: Ledger> KeyLimiter<L> {
    /// Tries to decide on a request from memory, and starts to renew the lease in the background if that is due.
    pub(super) fn attempt(
        self: &Arc<Self>,
        account: &Account,
        cost: u64,
        patience: Patience,
    ) -> Attempt {
        let mut guard = self.keys.lock(account.key_id);
        let now = &self.time.now();
        let keys = &mut *guard;
        // So that the ledger need not store the usage of keys faster than it can, a key that others make room for waits.
        let has_room = keys.entries.len() <= self.max_keys_of_shard();
        let terms = self.terms(has_room);
        if let Some(entry) = keys.entries.get_mut(&account.key_id) {
            return self.attempt_with(entry, &mut keys.stats, account, cost, terms, now, patience);
        }
        let Some(light) = keys.light.get_mut(account.key_id) else {
            return Attempt::NotLoaded;
        };
        let mut entry = light.unpack(now);
        let terms = self.terms(true);
        let stats = &mut keys.stats;
        let attempt = self.attempt_with(&mut entry, stats, account, cost, terms, now, patience);
        if let Some(packed) = LightKey::pack(&entry, now) {
            *light = packed;
            return attempt;
        }
        keys.light.remove(account.key_id);
        keys.entries.insert(account.key_id, entry);
        let leaving = self.find_leaving(keys, account.key_id, now);
        drop(guard);
        self.start_returns(leaving);
        attempt
    }

    fn terms(&self, has_room: bool) -> Terms {
        Terms {
            bans_enabled: self.policy.bans_enabled,
            gives_credit: has_room && self.credit.is_open() && !self.is_closed(),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of them differ with each request"
    )]
    fn attempt_with(
        self: &Arc<Self>,
        entry: &mut KeyEntry,
        stats: &mut LimiterStats,
        account: &Account,
        cost: u64,
        terms: Terms,
        now: &Now,
        patience: Patience,
    ) -> Attempt {
        entry.last_seen = entry.last_seen.max(now.steady());
        entry.state.adopt_lifted_ban(&account.ban);
        let (decision, mut info) = decide(&mut entry.state, account.limits, terms, now, cost);
        let (windows, credit) = (&entry.state.windows, terms.gives_credit);
        let is_refill_due = match decision {
            KeyDecision::Admitted => {
                cost > 0 && lease::is_refill_due(windows, account.limits, credit)
            }
            KeyDecision::RateLimited(_) | KeyDecision::Banned => {
                lease::is_claim_due(windows, account.limits, credit)
            }
            _ => false,
        };
        if is_refill_due {
            // If the ledger fails, the first request that needs the lease reports it.
            let _ = self.find_or_start_refill(entry, stats, account, (cost, 0), terms, now);
        }
        let outcome = match decision {
            KeyDecision::Admitted => Outcome::Admitted,
            KeyDecision::NeedsLease => {
                self.open_credit(now);
                // A request that is admitted anyway does not wait for a ledger that has just failed.
                let admits = self.policy.without_ledger == WithoutLedger::Admit;
                let may_wait = patience == Patience::MayWait && !(admits && entry.failed.is_some());
                let costs = (cost, cost);
                let call = self.find_or_start_refill(entry, stats, account, costs, terms, now);
                if let Some(call) = call.filter(|call| may_wait && !call.is_overdue()) {
                    stats.lease_waits += 1;
                    return Attempt::WaitsForLease(call);
                }
                let fault = entry.failed.as_mut().and_then(|it| it.unreported.take());
                let outcome = if admits && !self.is_closed() {
                    let windows = &mut entry.state.windows;
                    windows.charge(cost);
                    info = windows.rate_limit(account.limits);
                    Outcome::AdmittedWithoutLease
                } else {
                    Outcome::Unavailable
                };
                return Attempt::DecidedWithoutLease(outcome, info, fault);
            }
            KeyDecision::RateLimited(window) => Outcome::RateLimited(window),
            KeyDecision::FreeRateLimited => Outcome::FreeRateLimited,
            KeyDecision::BanTriggered => {
                entry.ban_is_unsaved = true;
                stats.bans += 1;
                return Attempt::BanTriggered(info, entry.state.ban);
            }
            KeyDecision::Banned => Outcome::Banned,
        };
        Attempt::Decided(outcome, info)
    }

    /// Does what `attempt` requires. After loading the key or waiting for a lease it tries again; a decision and a ban
    /// (which it stores) end the loop. It waits for the ledger no longer than the policy allows, in all.
    pub(super) async fn charge_slow_path(
        self: &Arc<Self>,
        account: &Account,
        cost: u64,
        mut attempt: Attempt,
    ) -> Decision {
        let deadline = Instant::now() + self.policy.ledger_timeout;
        let (mut patience, mut fault) = (Patience::MayWait, None);
        loop {
            let failed = match attempt {
                Attempt::Decided(outcome, rate_limit) => {
                    return Decision {
                        outcome,
                        rate_limit,
                        fault,
                    };
                }
                Attempt::DecidedWithoutLease(outcome, rate_limit, unreported) => {
                    return Decision {
                        outcome,
                        rate_limit,
                        fault: fault.or(unreported),
                    };
                }
                Attempt::BanTriggered(rate_limit, ban) => {
                    let this = Arc::clone(self);
                    let key_id = account.key_id;
                    // In a task, so that it goes on if the request stops waiting.
                    let stored = async move { this.record_ban(key_id, ban).await };
                    let stored = timeout_at(deadline, self.runtime.spawn(stored)).await;
                    return Decision {
                        outcome: Outcome::Banned,
                        rate_limit,
                        fault: match stored {
                            Ok(Ok(result)) => result.err(),
                            Ok(Err(error)) => Some(StorageError::unavailable(error)),
                            Err(_) => Some(timed_out()),
                        },
                    };
                }
                Attempt::NotLoaded => match self.load(account.key_id, Some(account)).await {
                    Ok(()) => None,
                    Err(fault) if self.policy.without_ledger == WithoutLedger::Refuse => {
                        let windows = Windows::unused_at(self.time.now().wall);
                        let info = windows.rate_limit(account.limits);
                        return Decision::unavailable(info, fault);
                    }
                    Err(fault) => {
                        // Its usage is unknown until the first lease.
                        let unknown = LedgerEntry {
                            ban: account.ban,
                            ..LedgerEntry::default()
                        };
                        self.insert(account.key_id, &unknown, Some(account.limits));
                        Some(fault)
                    }
                },
                Attempt::WaitsForLease(call) => call.wait_until(deadline).await.err(),
            };
            if failed.is_some() {
                self.ledger_fails.store(true, Ordering::Relaxed);
                (patience, fault) = (Patience::GaveUp, failed);
            }
            attempt = self.attempt(account, cost, patience);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

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
    fn insert(self: &Arc<Self>, key_id: i64, entry: &LedgerEntry, limits: Option<RateLimits>) {
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
    fn start_returns(self: &Arc<Self>, leaving: Vec<i64>) {
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

    /// Returns the call to the ledger about this key that is under way, or starts one in the background that leases
    /// requests: enough for another one of this cost, of which one waits for `needed`. `None` if the last call failed in this
    /// second, so that a broken ledger is not kept busy, or if the limiter is closed.
    fn find_or_start_refill(
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

    /// The crashes that count in the current windows. They are read once.
    pub(super) async fn crashes(&self) -> Result<Crashes, StorageError> {
        if let Some(crashes) = self.credit.crashes(&self.time.now()) {
            return Ok(crashes);
        }
        let record = self.ledger.read_credit().await?;
        Ok(self.credit.start_after(&record, &self.time.now()))
    }

    /// Starts to store in the ledger that credit is given, at most once a second until it has succeeded. Only then
    /// credit is given.
    fn open_credit(self: &Arc<Self>, now: &Now) {
        if self.ledger.is_shared() || self.is_closed() || !self.credit.starts_to_open(now) {
            return;
        }
        let this = Arc::clone(self);
        self.runtime.spawn(async move {
            if this.store_credit(true).await.is_ok() {
                this.credit.open();
            }
        });
    }

    /// Stores in the ledger that all requests on credit are recorded, and the crashes before the start are counted.
    pub(super) async fn close_credit(&self) -> Result<(), StorageError> {
        if self.credit.has_to_close() {
            self.store_credit(false).await
        } else {
            Ok(())
        }
    }

    async fn store_credit(&self, is_open: bool) -> Result<(), StorageError> {
        let record: CreditRecord = self.crashes().await?.record(is_open);
        self.ledger.store_credit(record).await
    }
}
