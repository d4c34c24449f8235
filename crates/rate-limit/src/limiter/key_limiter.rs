//! The limiter of keys: decisions from memory, and the calls to the ledger that load a key, lease requests, and record
//! a ban.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};

use super::credit_state::CreditState;
use super::entry::{KeyEntry, LedgerCall, timed_out};
use super::light::LightKey;
use super::shards::{LimiterStats, Shards};
use crate::ban::Ban;
use crate::decide::{Account, KeyDecision, Terms, decide};
use crate::decision::{Decision, Outcome};
use crate::latest_time::LatestTime;
use crate::lease;
use crate::ledger::{Ledger, LedgerEntry};
use crate::now::Now;
use crate::policy::{LimiterPolicy, WithoutLedger};
use crate::storage_error::StorageError;
use crate::usage::{RateLimitInfo, Windows};

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
    /// The decision. Without a lease it has an error of the ledger that is not reported yet.
    Decided(Decision),
    /// The key is banned once this ban is stored.
    BanTriggered(RateLimitInfo, Ban),
    /// The key is not in memory.
    NotLoaded,
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
                return Attempt::Decided(Decision {
                    fault,
                    ..Decision::new(outcome, info)
                });
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
        Attempt::Decided(Decision::new(outcome, info))
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
                Attempt::Decided(decision) => {
                    return Decision {
                        fault: fault.or(decision.fault),
                        ..decision
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
}
