//! Figures about the writer and the readers, for whoever publishes them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How busy the writer is and was, since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Writes in the queue at this moment.
    pub queued: usize,
    /// Transactions committed.
    pub commits: u64,
    /// Writes that ran in them, the refused ones included. Divided by `commits`, the mean batch.
    pub writes: u64,
    /// Writes in the latest commit.
    pub last_batch: u64,
    /// Transactions that were lost as a whole.
    pub undone: u64,
}

/// How busy the connections for reading are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Connections open.
    pub connections: u32,
    /// Those of them in use at this moment.
    pub busy: u32,
}

/// The same, as the writer counts it.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    writes: AtomicU64,
    last_batch: AtomicU64,
    undone: AtomicU64,
}

impl Counters {
    pub(crate) fn committed(&self, batch: usize) {
        let batch = batch as u64;
        self.commits.fetch_add(1, Relaxed);
        self.writes.fetch_add(batch, Relaxed);
        self.last_batch.store(batch, Relaxed);
    }

    pub(crate) fn undone(&self) {
        self.undone.fetch_add(1, Relaxed);
    }

    pub(crate) fn read(&self, queued: usize) -> WriterStats {
        WriterStats {
            queued,
            commits: self.commits.load(Relaxed),
            writes: self.writes.load(Relaxed),
            last_batch: self.last_batch.load(Relaxed),
            undone: self.undone.load(Relaxed),
        }
    }
}
