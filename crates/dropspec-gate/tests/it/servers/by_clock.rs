//! A ledger by the clock of an engine that a test sets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dropspec_gate::clock::{Clock, Time, Timekeeper};
use dropspec_gate::rate_limit::{
    Adjusted, Adjustment, Ban, Carried, Ledger, LedgerEntry, Notice, Now,
};
use dropspec_gate::storage_error::StorageError;

use crate::fixture::time;

/// The clock of an engine: how much time has passed, and how far it was set.
#[derive(Debug)]
pub(super) struct EngineClock {
    pub(super) start: i64,
    pub(super) state: Mutex<(i64, i64)>,
}

impl Clock for EngineClock {
    fn now(&self) -> DateTime<Utc> {
        let (passed, set) = *self.state.lock().unwrap();
        time(self.start) + TimeDelta::seconds(passed + set)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_secs(self.state.lock().unwrap().0.unsigned_abs())
    }
}

/// A ledger by the clock of the test.
pub(super) struct ByClock<L> {
    pub(super) ledger: L,
    pub(super) time: Timekeeper,
    /// How often windows were carried over a step.
    pub(super) carried: AtomicU64,
}

impl<L: Ledger> Ledger for ByClock<L> {
    fn is_shared(&self) -> bool {
        self.ledger.is_shared()
    }

    fn now(&self) -> Option<Time> {
        Some(self.time.read(|_| ()))
    }

    fn last_step(&self) -> Option<[Carried; 2]> {
        self.ledger.last_step()
    }

    async fn next_notice(&self) -> Notice {
        self.ledger.next_notice().await
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        self.ledger.read_entry(key_id).await
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        self.ledger.adjust(adjustments, now).await
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        let now = Arc::new(now);
        loop {
            let again = Arc::clone(&now);
            // A busy machine may take too long.
            if self.ledger.carry_over(move || again()).await.is_ok() {
                break;
            }
        }
        self.carried.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        self.ledger.read_banned(time).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        self.ledger.record_ban(key_id, ban).await
    }
}
