//! Decisions on requests of keys: from memory, or after waiting for the ledger.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::entry::{LedgerCall, timed_out};
use super::state::State;
use crate::ban::Ban;
use crate::decide::{Account, KeyDecision, Terms, decide};
use crate::decision::{Decision, Outcome};
use crate::lease;
use crate::ledger::{Ledger, LedgerEntry};
use crate::policy::WithoutLedger;
use crate::storage_error::StorageError;
use crate::usage::{RateLimitInfo, Windows};

/// The result of an attempt to decide on a request from memory, without waiting for the ledger.
pub(super) enum Attempt {
    /// The decision. Without a lease it has an error of the ledger that is not reported yet.
    Decided(Decision),
    /// The key is banned once this ban is stored.
    BanTriggered(RateLimitInfo, Ban),
    /// The key is not in memory.
    NotLoaded,
    /// A lease is under way.
    WaitsForLease(Arc<LedgerCall>),
}

/// Whether a request may wait for the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// It may wait.
    MayWait,
    /// It has waited for the ledger, which failed or did not answer in time.
    GaveUp,
}

impl<L: Ledger> Shared<L> {
    /// Tries to decide on a request from memory, and starts to renew the lease in the background if that is due.
    pub(super) fn attempt(
        self: &Arc<Self>,
        state: &mut State,
        account: &Account,
        cost: u64,
        patience: Patience,
    ) -> Attempt {
        // So that the ledger need not store the usage of keys faster than it can, a key that others make room for waits.
        let has_room = state.keys.len() <= self.policy.max_keys;
        let gives_credit = has_room && state.credit.is_open && !state.is_closed;
        let terms = Terms {
            bans_enabled: self.policy.bans_enabled,
            gives_credit,
        };
        let now = state.now;
        let Some(entry) = state.keys.to_back(&account.key_id) else {
            return Attempt::NotLoaded;
        };
        entry.last_seen = entry.last_seen.max(now.steady());
        entry.is_leaving = false;
        entry.state.adopt_lifted_ban(&account.ban);
        let is_awaited = entry.is_awaited;
        let (decision, info) = decide(&mut entry.state, account.limits, terms, &now, cost);
        let (windows, limits) = (&entry.state.windows, account.limits);
        let (outcome, is_adjustment_due) = match decision {
            KeyDecision::Admitted => {
                let is_due = cost > 0 && lease::is_adjustment_due(windows, limits, gives_credit);
                (Outcome::Admitted, is_due)
            }
            KeyDecision::NeedsLease => {
                return self.attempt_with_lease(state, account, cost, patience, gives_credit);
            }
            KeyDecision::BanTriggered => {
                let ban = entry.state.ban;
                state.unsaved_bans.insert(account.key_id);
                state.stats.bans += 1;
                return Attempt::BanTriggered(info, ban);
            }
            KeyDecision::Refused(outcome) => {
                let is_free = outcome == Outcome::FreeRateLimited;
                (
                    outcome,
                    !is_free && lease::must_claim_owed(windows, limits, gives_credit),
                )
            }
        };
        if is_awaited && cost > 0 {
            let entry = &mut state.keys[&account.key_id];
            entry.is_awaited = entry.pending_call().is_some();
            self.give_back_wanted(state, account.key_id);
        }
        if is_adjustment_due {
            // If the ledger fails, the first request that needs the lease reports it.
            self.find_or_start_adjustment(state, account, (cost, 0), gives_credit);
        }
        Attempt::Decided(Decision::new(outcome, info))
    }

    /// Waits for a lease, or decides without one.
    fn attempt_with_lease(
        self: &Arc<Self>,
        state: &mut State,
        account: &Account,
        cost: u64,
        patience: Patience,
        gives_credit: bool,
    ) -> Attempt {
        self.open_credit(state);
        let admits = self.policy.without_ledger == WithoutLedger::Admit;
        let failed_before = state.keys[&account.key_id].failed.is_some();
        let call = self.find_or_start_adjustment(state, account, (cost, cost), gives_credit);
        // A request that is admitted anyway does not wait for a ledger that has just failed.
        let may_wait = patience == Patience::MayWait && !(admits && failed_before);
        if let Some(call) = call.filter(|call| may_wait && !call.is_overdue()) {
            state.stats.lease_waits += 1;
            return Attempt::WaitsForLease(call);
        }
        let entry = &mut state.keys[&account.key_id];
        let fault = entry.failed.as_mut().and_then(|it| it.unreported.take());
        let outcome = if admits && !state.is_closed {
            entry.state.windows.charge(cost);
            Outcome::AdmittedWithoutLease
        } else {
            Outcome::Unavailable
        };
        let info = entry.state.windows.rate_limit(account.limits);
        Attempt::Decided(Decision {
            fault,
            ..Decision::new(outcome, info)
        })
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
                        let windows = Windows::unused_at(self.lock().now.wall);
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
            let mut state = self.lock();
            if failed.is_some() {
                state.ledger_fails = true;
                (patience, fault) = (Patience::GaveUp, failed);
            }
            attempt = self.attempt(&mut state, account, cost, patience);
        }
    }
}
