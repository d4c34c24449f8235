//! The calls to the ledger that read what crashes have cost, and store whether credit is given.

use std::sync::Arc;

use super::key_limiter::KeyLimiter;
use crate::credit::Crashes;
use crate::ledger::{CreditRecord, Ledger};
use crate::now::Now;
use crate::storage_error::StorageError;

impl<L: Ledger> KeyLimiter<L> {
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
    pub(super) fn open_credit(self: &Arc<Self>, now: &Now) {
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
