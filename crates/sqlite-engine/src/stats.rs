//! Counts of the writer and the reader pool, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

/// The atomic counters that the writer's thread updates; [`WriterStats`] is a copy of them.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    writes: AtomicU64,
    last_batch: AtomicU64,
    undone: AtomicU64,
    outcome_unknown: AtomicU64,
}

impl Counters {
    pub(crate) fn count_commit(&self, batch: usize) {
        let batch = batch as u64;
        self.commits.fetch_add(1, Relaxed);
        self.writes.fetch_add(batch, Relaxed);
        self.last_batch.store(batch, Relaxed);
    }

    pub(crate) fn count_rollback(&self) {
        self.undone.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_outcome_unknown(&self, writes: usize) {
        self.outcome_unknown.fetch_add(writes as u64, Relaxed);
    }

    pub(crate) fn read(&self, queued: usize) -> WriterStats {
        WriterStats {
            queued,
            commits: self.commits.load(Relaxed),
            writes: self.writes.load(Relaxed),
            last_batch: self.last_batch.load(Relaxed),
            undone: self.undone.load(Relaxed),
            outcome_unknown: self.outcome_unknown.load(Relaxed),
        }
    }
}
