//! Counts of transactions and connections, for metrics.

use parking_lot::Mutex;

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
    /// Connections that the database refused since the engine was opened, as it had none left.
    pub refused: u64,
}

/// The counts of an engine, which its calls change.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<TransactionStats>);

impl Counters {
    pub(crate) fn read(&self) -> TransactionStats {
        *self.0.lock()
    }

    /// Adds one to a count.
    pub(crate) fn count(&self, which: impl FnOnce(&mut TransactionStats) -> &mut u64) {
        *which(&mut self.0.lock()) += 1;
    }
}
