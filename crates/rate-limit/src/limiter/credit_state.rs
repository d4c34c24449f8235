//! Whether the limiter gives credit, and the credit that crashes have cost.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::credit::Crashes;
use crate::ledger::CreditRecord;
use crate::now::Now;

/// Whether the limiter gives credit, and the credit that crashes have cost.
#[derive(Debug)]
pub(super) struct CreditState {
    /// Whether the ledger has stored that credit is given.
    is_open: AtomicBool,
    /// Whether the ledger stores that credit is given, by this server or by one that was not stopped properly.
    is_stored: AtomicBool,
    /// The time of the last call to the ledger about it, in seconds of a clock without steps.
    called_at: AtomicI64,
    /// The crashes before the start, once they have been read.
    crashes: Mutex<Option<Crashes>>,
}

impl CreditState {
    pub(super) const fn new() -> CreditState {
        CreditState {
            is_open: AtomicBool::new(false),
            is_stored: AtomicBool::new(false),
            called_at: AtomicI64::new(i64::MIN),
            crashes: Mutex::new(None),
        }
    }

    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    /// Gives credit from now on.
    pub(super) fn open(&self) {
        self.is_stored.store(true, Ordering::Release);
        self.is_open.store(true, Ordering::Release);
    }

    /// Whether a proper stop has to store that no more credit is given.
    pub(super) fn has_to_close(&self) -> bool {
        self.is_stored.load(Ordering::Acquire)
    }

    /// Whether to call the ledger at `now` so that credit may be given; at most once a second.
    pub(super) fn starts_to_open(&self, now: &Now) -> bool {
        let last = self.called_at.load(Ordering::Relaxed);
        let starts = !self.is_open() && last < now.steady();
        if starts {
            self.called_at.store(now.steady(), Ordering::Relaxed);
        }
        starts
    }

    /// Makes up for a clock step.
    pub(super) fn advance(&self, now: &Now) {
        self.crashes(now);
    }

    /// The crashes before the start that count in the windows that are current at `now`; `None` until they have been read.
    pub(super) fn crashes(&self, now: &Now) -> Option<Crashes> {
        let mut known = self.lock();
        known.as_mut()?.advance(now);
        *known
    }

    /// Sets the crashes before the start by what the ledger stores, unless they are known already.
    pub(super) fn start_after(&self, record: &CreditRecord, now: &Now) -> Crashes {
        let mut known = self.lock();
        if record.is_open {
            // By a server that was not stopped properly.
            self.is_stored.store(true, Ordering::Release);
        }
        let crashes = known.get_or_insert_with(|| Crashes::at_start(record, now));
        crashes.advance(now);
        *crashes
    }

    fn lock(&self) -> MutexGuard<'_, Option<Crashes>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
