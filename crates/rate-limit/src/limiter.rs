//! The limiter of a server: keys over a ledger, addresses in memory.

mod credit_calls;
mod credit_state;
mod entry;
mod key_limiter;
mod ledger_calls;
mod light;
mod loading;
mod maintenance;
mod notices;
mod shards;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use self::credit_state::CreditState;
use self::key_limiter::{Attempt, KeyLimiter, Patience};
pub use self::shards::LimiterStats;
use self::shards::Shards;
use super::addresses::AddressWindows;
use super::decide::Account;
use super::decision::Decision;
use super::latest_time::LatestTime;
use super::ledger::Ledger;
use super::policy::LimiterPolicy;
use super::usage::RateLimitInfo;
use super::window::Window;
use crate::clock::Time;
use crate::storage_error::StorageError;

/// The time between two sweeps for idle keys, in seconds.
const SWEEP_INTERVAL: i64 = 60;

/// Decides on every request of one server: keys by the ledger, addresses in memory.
#[derive(Debug)]
pub struct Limiter<L> {
    keys: Arc<KeyLimiter<L>>,
    /// Of requests without a valid key.
    addresses: Mutex<AddressWindows>,
    /// Of pages. Readers of the documentation are not kept out by requests with mistyped keys from their address.
    page_addresses: Mutex<AddressWindows>,
    /// The time of the next sweep, in seconds of a clock without steps.
    sweep_due: AtomicI64,
    /// The task that takes the notices of other servers; `None` if there are none.
    notices: Option<AbortHandle>,
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

impl<L: Ledger> Limiter<L> {
    /// Creates a limiter over `ledger`. It leases in tasks of the current tokio runtime.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn new(ledger: Arc<L>, policy: LimiterPolicy) -> Limiter<L> {
        let keys = Arc::new(KeyLimiter {
            ledger,
            policy,
            time: Arc::new(LatestTime::new()),
            carry_over_due: AtomicBool::new(true),
            has_bans: AtomicBool::new(false),
            keys: Shards::new(),
            closed: AtomicBool::new(false),
            ledger_fails: AtomicBool::new(false),
            runtime: Handle::current(),
            credit: CreditState::new(),
        });
        Limiter {
            notices: keys.ledger.is_shared().then(|| keys.start_notices()),
            keys,
            addresses: Mutex::new(AddressWindows::new(policy.max_addresses)),
            page_addresses: Mutex::new(AddressWindows::new(policy.max_addresses)),
            sweep_due: AtomicI64::new(i64::MIN),
        }
    }

    /// Decides on a request with a valid key that arrived at `time`, and charges `cost` if it is admitted.
    ///
    /// It nearly always returns at once. It waits if nothing is leased of a window in which requests remain, and at
    /// the start of a ban until the ban is stored; but never longer than [`LimiterPolicy::ledger_timeout`].
    pub async fn charge_key(&self, account: &Account, cost: u64, time: Time) -> Decision {
        self.advance(&time);
        match self.keys.attempt(account, cost, Patience::MayWait) {
            Attempt::Decided(decision) => decision,
            // Boxed, so that the common case stays small.
            other => Box::pin(self.keys.charge_slow_path(account, cost, other)).await,
        }
    }

    /// Decides on a request without a valid key from `address` that arrived at `time`, and charges `cost` if it
    /// is admitted.
    pub fn charge_address(&self, address: IpAddr, cost: u64, time: Time) -> Decision {
        self.charge_in(&self.addresses, address, cost, time)
    }

    /// Decides on a request for a page from `address` that arrived at `time`, and charges 1 if it is admitted. Pages
    /// have the limits of requests without a valid key, but are counted apart from them.
    pub fn charge_page(&self, address: IpAddr, time: Time) -> Decision {
        self.charge_in(&self.page_addresses, address, 1, time)
    }

    fn charge_in(
        &self,
        addresses: &Mutex<AddressWindows>,
        address: IpAddr,
        cost: u64,
        time: Time,
    ) -> Decision {
        self.advance(&time);
        let limits = self.keys.policy.anonymous;
        let mut addresses = lock(addresses);
        addresses.charge(limits, address, cost, &self.keys.time.now())
    }

    /// Reads the usage of a key at `time`. It charges nothing.
    ///
    /// # Errors
    ///
    /// If the key is not in memory and cannot be read from the ledger.
    pub async fn status(&self, account: &Account, time: Time) -> Result<KeyStatus, StorageError> {
        self.advance(&time);
        let keys = &self.keys;
        let in_memory = keys
            .keys
            .lock(account.key_id)
            .clone_state(account.key_id, &keys.time.now());
        let mut state = match in_memory {
            Some(state) if !keys.ledger.is_shared() => state,
            in_memory => {
                let entry = keys.ledger.read_entry(account.key_id).await?;
                let crashes = keys.crashes().await?;
                let now = &keys.time.now();
                let mut state = keys.state_of(&entry, Some(account.limits), &crashes, now);
                if let Some(here) = in_memory {
                    // What other servers have leased counts as used.
                    state.windows.replace_unused(&here.windows);
                    state.adopt_ban(&here.ban);
                }
                state
            }
        };
        let now = &keys.time.now();
        state.adopt_lifted_ban(&account.ban);
        state.advance(now);
        Ok(KeyStatus {
            minute: state.windows.rate_limit_in(Window::Minute, account.limits),
            day: state.windows.rate_limit_in(Window::Day, account.limits),
            strikes: state.ban.active_strikes(now.wall),
            banned_until: state.ban.active_until(now.wall),
        })
    }

    /// The counters of bans and leases since the start.
    pub fn stats(&self) -> LimiterStats {
        self.keys.keys.stats()
    }

    /// The number of keys in memory.
    pub fn keys_in_memory(&self) -> usize {
        self.keys.keys.len()
    }

    /// The number of addresses in memory; one that sent requests without a valid key and read pages counts twice.
    pub fn addresses_in_memory(&self) -> usize {
        lock(&self.addresses).len() + lock(&self.page_addresses).len()
    }

    /// The ledger.
    pub fn ledger(&self) -> &L {
        &self.keys.ledger
    }

    /// Whether the last call to the ledger failed or did not return in time.
    pub fn ledger_fails(&self) -> bool {
        self.keys.ledger_fails.load(Ordering::Relaxed)
    }

    /// Stops leasing, and returns all leased and unused requests to the ledger. Call it after the last response, and
    /// before the ledger closes.
    ///
    /// # Errors
    ///
    /// If some of it could not be returned. It then counts as used, as after a crash.
    pub async fn close(&self) -> Result<(), StorageError> {
        self.keys.closed.store(true, Ordering::SeqCst);
        self.keys.return_everything().await?;
        self.keys.close_credit().await
    }

    /// Advances the time of the limiter to that of a request.
    #[inline]
    fn advance(&self, time: &Time) {
        if let Some(now) = self.keys.ledger.now() {
            self.keys.time.follow(now);
        } else if self.keys.time.advance(time) {
            self.keys.carry_over();
            for addresses in [&self.addresses, &self.page_addresses] {
                lock(addresses).advance(&self.keys.time.now());
            }
            self.sweep_due.store(i64::MIN, Ordering::Relaxed);
        }
        self.sweep_if_due(self.keys.time.now().steady());
    }

    /// Starts a sweep if the last one was a minute ago. `now` is in seconds of a clock without steps.
    fn sweep_if_due(&self, now: i64) {
        let due = self.sweep_due.load(Ordering::Relaxed);
        if now < due {
            return;
        }
        let next = now.saturating_add(SWEEP_INTERVAL);
        let due_field = &self.sweep_due;
        let first = due_field.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            let keys = Arc::clone(&self.keys);
            self.keys.runtime.spawn(async move { keys.sweep().await });
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

fn lock(addresses: &Mutex<AddressWindows>) -> MutexGuard<'_, AddressWindows> {
    addresses.lock().unwrap_or_else(PoisonError::into_inner)
}
