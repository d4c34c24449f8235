//! Counters of the limiter, for metrics. The gate counts the decisions.

use std::ops::AddAssign;

/// The numbers of events since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterStats {
    /// Bans triggered.
    pub bans: u64,
    /// Calls to the ledger to lease or return requests.
    pub lease_calls: u64,
    /// Those of them that failed.
    pub lease_failures: u64,
    /// Requests that waited for a lease.
    pub lease_waits: u64,
}

impl AddAssign for LimiterStats {
    fn add_assign(&mut self, other: LimiterStats) {
        self.bans += other.bans;
        self.lease_calls += other.lease_calls;
        self.lease_failures += other.lease_failures;
        self.lease_waits += other.lease_waits;
    }
}
