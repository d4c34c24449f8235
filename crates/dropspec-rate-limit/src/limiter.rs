//! The limiter of a server: keys over a ledger, addresses in memory.

mod charge;
mod entry;
mod ledger_calls;
mod maintenance;
mod state;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use self::charge::{Attempt, Patience};
use self::state::State;
use super::decide::Account;
use super::decision::Decision;
use super::ledger::Ledger;
use super::policy::LimiterPolicy;
use super::usage::RateLimitInfo;
use super::window::Window;
use crate::clock::Time;
use crate::storage_error::StorageError;

/// Decides on every request of one server: keys by the ledger, addresses in memory.
#[derive(Debug)]
pub struct Limiter<L> {
    shared: Arc<Shared<L>>,
    /// The task that takes the notices of other servers; `None` if there are none.
    notices: Option<AbortHandle>,
}

/// The part of the limiter that its background tasks share.
#[derive(Debug)]
struct Shared<L> {
    ledger: Arc<L>,
    policy: LimiterPolicy,
    runtime: Handle,
    state: Mutex<State>,
}

/// The usage, strikes and ban of a key at one time, for the operation that reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyStatus {
    /// The minute.
    pub minute: RateLimitInfo,
    /// The day.
    pub day: RateLimitInfo,
    /// Bans that have not expired yet.
    pub strikes: u32,
    /// The end of the current ban, in Unix seconds.
    pub banned_until: Option<i64>,
}

/// The numbers of bans and ledger calls since the start of the server, for metrics. The gate counts the decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterStats {
    /// Bans triggered.
    pub bans: u64,
    /// Calls to the ledger to lease or return requests.
    pub lease_calls: u64,
    /// Those of them that failed.
    pub lease_failures: u64,
    /// Requests that waited for a lease.
    pub lease_waits: u64,
    /// Leases given back because another server needed requests of the window.
    pub given_back: u64,
}

impl<L: Ledger> Limiter<L> {
    /// Creates a limiter over `ledger`. It leases in tasks of the current tokio runtime.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(ledger: Arc<L>, policy: LimiterPolicy) -> Limiter<L> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(ledger.is_shared())),
            ledger,
            policy,
            runtime: Handle::current(),
        });
        Limiter {
            notices: shared.ledger.is_shared().then(|| shared.start_notices()),
            shared,
        }
    }

    /// Decides on a request with a valid key that arrived at `time`, and charges `cost` if it is admitted.
    ///
    /// It nearly always returns at once. It waits if nothing is leased of a window in which requests remain, and at
    /// the start of a ban until the ban is stored; but never longer than [`LimiterPolicy::ledger_timeout`].
    pub async fn charge_key(&self, account: &Account, cost: u64, time: Time) -> Decision {
        let shared = &self.shared;
        let attempt = shared.attempt(&mut shared.lock_at(&time), account, cost, Patience::MayWait);
        match attempt {
            Attempt::Decided(decision) => decision,
            // Boxed, so that the common case stays small.
            other => Box::pin(shared.charge_slow_path(account, cost, other)).await,
        }
    }

    /// Decides on a request without a valid key from `address` that arrived at `time`, and charges `cost` if it
    /// is admitted.
    pub fn charge_address(&self, address: IpAddr, cost: u64, time: Time) -> Decision {
        let mut state = self.shared.lock_at(&time);
        let (limits, now) = (self.shared.policy.anonymous, state.now);
        state.addresses.charge(limits, address, cost, &now)
    }

    /// Decides on a request for a page from `address` that arrived at `time`, and charges 1 if it is admitted. Pages
    /// have the limits of requests without a valid key, but are counted apart from them.
    pub fn charge_page(&self, address: IpAddr, time: Time) -> Decision {
        let mut state = self.shared.lock_at(&time);
        let (limits, now) = (self.shared.policy.anonymous, state.now);
        state.page_addresses.charge(limits, address, 1, &now)
    }

    /// Reads the usage of a key at `time`. It charges nothing.
    ///
    /// # Errors
    ///
    /// If the key is not in memory and cannot be read from the ledger.
    pub async fn status(&self, account: &Account, time: Time) -> Result<KeyStatus, StorageError> {
        let shared = &self.shared;
        let in_memory = shared.lock_at(&time).find(account.key_id);
        let (mut state, now) = match in_memory {
            Some(state) if !shared.ledger.is_shared() => (state, shared.lock().now),
            in_memory => {
                let entry = shared.ledger.read_entry(account.key_id).await?;
                let crashes = shared.crashes().await?;
                let limiter = shared.lock();
                let mut state = limiter.state_of(&entry, Some(account.limits), &crashes);
                if let Some(here) = in_memory {
                    // What other servers have leased counts as used.
                    state.windows.replace_unused(&here.windows);
                    state.adopt_ban(&here.ban);
                }
                (state, limiter.now)
            }
        };
        state.adopt_lifted_ban(&account.ban);
        state.advance_windows(&now);
        Ok(KeyStatus {
            minute: state.windows.rate_limit_in(Window::Minute, account.limits),
            day: state.windows.rate_limit_in(Window::Day, account.limits),
            strikes: state.ban.active_strikes(now.wall),
            banned_until: state.ban.active_until(now.wall),
        })
    }

    /// The counters of bans and leases since the start.
    pub fn stats(&self) -> LimiterStats {
        self.shared.lock().stats
    }

    /// The number of keys in memory.
    pub fn keys_in_memory(&self) -> usize {
        self.shared.lock().keys.len()
    }

    /// The number of addresses in memory; one that sent requests without a valid key and read pages counts twice.
    pub fn addresses_in_memory(&self) -> usize {
        let state = self.shared.lock();
        state.addresses.len() + state.page_addresses.len()
    }

    /// The ledger.
    pub fn ledger(&self) -> &L {
        &self.shared.ledger
    }

    /// Whether the last call to the ledger failed or did not return in time.
    pub fn ledger_fails(&self) -> bool {
        self.shared.lock().ledger_fails
    }

    /// Stops leasing, and returns all leased and unused requests to the ledger. Call it after the last response, and
    /// before the ledger closes.
    ///
    /// # Errors
    ///
    /// If some of it could not be returned. It then counts as used, as after a crash.
    pub async fn close(&self) -> Result<(), StorageError> {
        self.shared.lock().is_closed = true;
        self.shared.return_everything().await?;
        self.shared.close_credit().await
    }
}

impl<L: Ledger> Shared<L> {
    /// Locks the state at the time of the ledger's clock, if it has one, even if a thread panicked with the lock: a decision
    /// changes the state last. The lock is held for one decision, never across an await.
    fn lock(&self) -> MutexGuard<'_, State> {
        let time = self.ledger.now();
        let mut state = self.state.lock();
        if let Some(time) = time {
            state.follow(&time, || self.ledger.last_step());
        }
        state
    }

    /// Locks the state at the time of a request, and starts a sweep if it is due.
    fn lock_at(self: &Arc<Self>, time: &Time) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if !state.has_ledger_time {
            state.advance_time(time);
        }
        self.start_due_sweep(&mut state);
        state
    }

    fn start_due_sweep(self: &Arc<Self>, state: &mut State) {
        if state.begins_sweep() {
            let this = Arc::clone(self);
            self.runtime.spawn(async move { this.sweep().await });
        }
    }
}

impl<L> Drop for Limiter<L> {
    fn drop(&mut self) {
        if let Some(task) = &self.notices {
            task.abort();
        }
    }
}
