//! The limiter at work: many requests at once, the core's decisions one key at a time, and the store asked for
//! leases behind their backs.

mod jobs;
mod shard;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;

use self::shard::{Attempt, Shards};
use super::addresses::Addresses;
use super::ban::Ban;
use super::clock::Clock;
use super::decide::KeyState;
use super::ledger::Ledger;
use super::policy::Policy;
use super::standing::{Outcome, Standing, Verdict};
use super::tally::Tally;
use super::window::{Limits, Window};
use crate::store::StoreError;

/// How often idle keys are looked for, in seconds.
const SWEEP_INTERVAL: i64 = 60;

/// Decides on every request of one server. Clones share their state.
#[derive(Debug)]
pub struct Limiter<L> {
    inner: Arc<Inner<L>>,
}

/// What is known of a key before its request is decided on: its row in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    /// The key's id.
    pub key_id: i64,
    /// What it may send.
    pub limits: Limits,
    /// Its last ban, as far as the row knows.
    pub ban: Ban,
}

/// Where a key stands in both windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyStatus {
    /// The minute.
    pub minute: WindowStatus,
    /// The day.
    pub day: WindowStatus,
    /// Bans that have not faded yet.
    pub strikes: u32,
    /// When the ban in force ends, in Unix seconds.
    pub banned_until: Option<i64>,
}

/// Where a key stands in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowStatus {
    /// Requests that the window allows.
    pub limit: u64,
    /// Requests that are left.
    pub remaining: u64,
    /// When it ends, in Unix seconds.
    pub reset: i64,
}

#[derive(Debug)]
struct Inner<L> {
    ledger: Arc<L>,
    policy: Policy,
    clock: Clock,
    keys: Shards,
    addresses: Mutex<Addresses>,
    /// When the next sweep is due, in Unix seconds.
    sweep_due: AtomicI64,
    closed: AtomicBool,
    runtime: Handle,
}

impl<L> Clone for Limiter<L> {
    fn clone(&self) -> Limiter<L> {
        Limiter {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<L: Ledger> Limiter<L> {
    /// A limiter whose books are kept by `ledger`. It asks for leases in tasks of the runtime that this is called in.
    pub fn new(ledger: Arc<L>, policy: Policy) -> Limiter<L> {
        let inner = Inner {
            ledger,
            policy,
            clock: Clock::new(),
            keys: Shards::new(),
            addresses: Mutex::new(Addresses::new()),
            sweep_due: AtomicI64::new(i64::MIN),
            closed: AtomicBool::new(false),
            runtime: Handle::current(),
        };
        Limiter {
            inner: Arc::new(inner),
        }
    }

    /// Decides on a request with a valid key that came at `now` (Unix seconds), and charges `cost` for it if it is admitted.
    ///
    /// Nearly always this answers at once. It waits when nothing is leased of a window that has room, and at the
    /// start of a ban until that is stored.
    pub async fn charge_key(&self, account: &Account, cost: u64, now: i64) -> Verdict {
        let now = self.inner.clock.advance(now);
        self.sweep_if_due(now);
        match self.inner.attempt(account, cost, now) {
            Attempt::Decided(outcome, standing) => Verdict::new(outcome, standing),
            // What can wait is kept out of the way of what cannot.
            other => Box::pin(self.inner.pursue(account, cost, now, other)).await,
        }
    }

    /// Decides on a request without a valid key that came from `address` at `now` (Unix seconds). It costs 1, whatever it asks for.
    pub fn charge_address(&self, address: IpAddr, now: i64) -> Verdict {
        let now = self.inner.clock.advance(now);
        self.inner
            .addresses()
            .charge(&self.inner.policy, address, now)
    }

    /// Where a key stands at `now` (Unix seconds). It costs nothing.
    ///
    /// # Errors
    ///
    /// When its usage is not known yet and cannot be read.
    pub fn status(&self, account: &Account, now: i64) -> Result<KeyStatus, StoreError> {
        let inner = &self.inner;
        let now = inner.clock.advance(now);
        let mut state = match inner.keys.of(account.key_id).state(account.key_id) {
            Some(state) => state.clone(),
            None => inner.ledger.key_ledger(account.key_id)?.into_state(now),
        };
        state.follow(&account.ban);
        state.windows.advance(now);
        Ok(inner.status_of(&state, account.limits, now))
    }

    /// What was counted since the start, of keys and of addresses.
    pub fn tally(&self) -> Tally {
        let mut tally = self.inner.keys.tally();
        tally += self.inner.addresses().tally;
        tally
    }

    /// How many keys are held in memory.
    pub fn keys_in_memory(&self) -> usize {
        self.inner.keys.len()
    }

    /// How many addresses are held in memory.
    pub fn addresses_in_memory(&self) -> usize {
        self.inner.addresses().len()
    }

    /// Leases nothing more, and gives back what is leased and unspent. To be called when the last request is
    /// answered, and before the store closes.
    ///
    /// # Errors
    ///
    /// When some of it could not be given back; it is lost to its windows, as after a crash.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.inner.closed.store(true, Ordering::SeqCst);
        self.inner.return_everything().await
    }

    /// Once a minute, whoever comes first sends the idle keys from memory.
    #[inline]
    fn sweep_if_due(&self, now: i64) {
        let due = self.inner.sweep_due.load(Ordering::Relaxed);
        if now >= due {
            self.sweep(due, now);
        }
    }

    #[cold]
    fn sweep(&self, due: i64, now: i64) {
        let next = now.saturating_add(SWEEP_INTERVAL);
        let due_field = &self.inner.sweep_due;
        let first = due_field.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            let inner = Arc::clone(&self.inner);
            self.inner
                .runtime
                .spawn(async move { inner.sweep(now).await });
        }
    }
}

impl<L: Ledger> Inner<L> {
    /// Does what an attempt asks for, and tries again, until there is a verdict.
    async fn pursue(
        self: &Arc<Self>,
        account: &Account,
        cost: u64,
        mut now: i64,
        mut attempt: Attempt,
    ) -> Verdict {
        loop {
            match attempt {
                Attempt::Decided(outcome, standing) => return Verdict::new(outcome, standing),
                Attempt::Crossed(standing, ban) => {
                    let fault = self.record_ban(account.key_id, ban).await.err();
                    return Verdict {
                        fault,
                        ..Verdict::new(Outcome::Banned, standing)
                    };
                }
                Attempt::Unknown => {
                    if let Err(fault) = self.load(account.key_id, now) {
                        let state = KeyState::new(account.ban, now);
                        let standing = state.windows.standing(account.limits);
                        return self.unavailable(account, standing, fault);
                    }
                }
                Attempt::Waiting(standing, progress) => {
                    if let Err(fault) = progress.finished().await {
                        return self.unavailable(account, standing, fault);
                    }
                    now = self.clock.latest();
                }
            }
            attempt = self.attempt(account, cost, now);
        }
    }

    fn unavailable(&self, account: &Account, standing: Standing, fault: StoreError) -> Verdict {
        self.keys
            .of(account.key_id)
            .tally
            .count(Outcome::Unavailable);
        Verdict {
            fault: Some(fault),
            ..Verdict::new(Outcome::Unavailable, standing)
        }
    }

    fn addresses(&self) -> std::sync::MutexGuard<'_, Addresses> {
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn status_of(&self, state: &KeyState, limits: Limits, now: i64) -> KeyStatus {
        let window = |window| {
            let standing = state.windows.standing_in(window, limits);
            WindowStatus {
                limit: standing.limit,
                remaining: standing.remaining,
                reset: standing.reset,
            }
        };
        KeyStatus {
            minute: window(Window::Minute),
            day: window(Window::Day),
            strikes: state
                .ban
                .strikes_in_force(&self.policy.bans.unwrap_or_default(), now),
            banned_until: state.ban.in_force(now),
        }
    }
}
