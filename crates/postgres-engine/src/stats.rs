//! Counts of transactions and connections, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counts of transactions since the engine was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionStats {
    /// Transactions that were committed.
    pub commits: u64,
    /// Attempts that were repeated, as other transactions changed the same rows or a connection was lost.
    pub retries: u64,
    /// Calls that failed because the database was not available.
    pub unavailable: u64,
    /// Writes that may or may not be stored; see [`EngineError::OutcomeUnknown`](crate::EngineError::OutcomeUnknown).
    pub outcome_unknown: u64,
}

/// Counts of connections at this moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Open connections.
    pub connections: usize,
    /// Connections in use.
    pub busy: usize,
    /// Calls that wait for a connection.
    pub waiting: usize,
}

/// The atomic counters; [`TransactionStats`] is a copy of them.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) unavailable: AtomicU64,
    pub(crate) outcome_unknown: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self) -> TransactionStats {
        TransactionStats {
            commits: self.commits.load(Relaxed),
            retries: self.retries.load(Relaxed),
            unavailable: self.unavailable.load(Relaxed),
            outcome_unknown: self.outcome_unknown.load(Relaxed),
        }
    }
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
