//! Whether the limiter gives credit, and the credit that crashes have cost.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::key_limiter::KeyLimiter;
use crate::rate_limit::credit::Crashes;
use crate::rate_limit::ledger::{CreditRecord, Ledger};
use crate::rate_limit::now::Now;
use crate::storage_error::StorageError;

/// Whether the limiter gives credit, and the credit that crashes have cost.
#[derive(Debug)]
pub(super) struct CreditState {
    /// Whether the ledger has stored that credit is given.
    is_open: AtomicBool,
    /// The time of the last call to the ledger about it, in seconds of a clock without steps.
    called_at: AtomicI64,
    /// The crashes before the start, once they have been read.
    crashes: Mutex<Option<Crashes>>,
}

impl CreditState {
    pub(super) const fn new() -> CreditState {
        CreditState {
            is_open: AtomicBool::new(false),
            called_at: AtomicI64::new(i64::MIN),
            crashes: Mutex::new(None),
        }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Makes up for a clock step.
    pub(super) fn advance(&self, now: &Now) {
        if let Some(crashes) = self.lock().as_mut() {
            crashes.advance(now);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Crashes>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<L: Ledger> KeyLimiter<L> {
    /// The crashes that count in the current windows.
    pub(super) fn crashes(&self, now: &Now) -> Result<Crashes, StorageError> {
        let mut known = self.credit.lock();
        let mut crashes = match *known {
            Some(crashes) => crashes,
            None => Crashes::at_start(&self.ledger.read_credit()?, now),
        };
        crashes.advance(now);
        *known = Some(crashes);
        Ok(crashes)
    }

    /// Starts to store in the ledger that credit is given, at most once a second until it has succeeded. Only then credit
    /// is given.
    pub(super) fn open_credit(self: &Arc<Self>, now: &Now) {
        let calls_again = self.credit.called_at.load(Ordering::Relaxed) < now.steady();
        if self.credit.is_open() || self.is_closed() || !calls_again {
            return;
        }
        self.credit.called_at.store(now.steady(), Ordering::Relaxed);
        let this = Arc::clone(self);
        self.runtime.spawn(async move {
            if this.store_credit(true).await.is_ok() {
                this.credit.is_open.store(true, Ordering::Release);
            }
        });
    }

    /// Stores in the ledger that all requests on credit are recorded, if any were given.
    pub(super) async fn close_credit(&self) -> Result<(), StorageError> {
        match self.credit.is_open() {
            true => self.store_credit(false).await,
            false => Ok(()),
        }
    }

    async fn store_credit(&self, is_open: bool) -> Result<(), StorageError> {
        let record: CreditRecord = self.crashes(&self.time.now())?.record(is_open);
        self.ledger.store_credit(record).await
    }
}
