//! Counts of the writer and the reader pool, for metrics.

use parking_lot::Mutex;

/// Counts of the writer since the engine was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Writes in the queue at this moment.
    pub queued: usize,
    /// Committed transactions.
    pub commits: u64,
    /// Writes in committed transactions, failed ones included. Divided by `commits`, the mean batch.
    pub writes: u64,
    /// Writes in the latest commit.
    pub last_batch: u64,
    /// Transactions that were rolled back as a whole. Nothing of them is stored.
    pub undone: u64,
    /// Writes that may or may not be stored; see [`EngineError::OutcomeUnknown`](crate::EngineError::OutcomeUnknown).
    pub outcome_unknown: u64,
}

/// Counts of the reader connections at this moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Open connections.
    pub connections: u32,
    /// Connections in use.
    pub busy: u32,
}

/// The counts of the writer, which its thread and its callers change.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<WriterStats>);

impl Counters {
    pub(crate) fn count_commit(&self, batch: usize) {
        let mut stats = self.0.lock();
        stats.commits += 1;
        stats.writes += batch as u64;
        stats.last_batch = batch as u64;
    }

    pub(crate) fn count_rollback(&self) {
        self.0.lock().undone += 1;
    }

    pub(crate) fn count_outcome_unknown(&self, writes: usize) {
        self.0.lock().outcome_unknown += writes as u64;
    }

    pub(crate) fn read(&self, queued: usize) -> WriterStats {
        WriterStats {
            queued,
            ..*self.0.lock()
        }
    }
}
