//! Counters of the limiter, for metrics.

use std::ops::AddAssign;

use super::decision::Outcome;

/// The numbers of events since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterStats {
    /// Requests admitted.
    pub admitted: u64,
    /// Requests refused because of a limit.
    pub rate_limited: u64,
    /// Requests refused because of a ban, including those that triggered it.
    pub banned: u64,
    /// Requests refused because no lease could be obtained.
    pub unavailable: u64,
    /// Bans triggered.
    pub bans: u64,
    /// Calls to the ledger to lease or return requests.
    pub lease_calls: u64,
    /// Those of them that failed.
    pub lease_failures: u64,
    /// Requests that waited for a lease.
    pub lease_waits: u64,
}

impl LimiterStats {
    pub(super) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Admitted => self.admitted += 1,
            Outcome::RateLimited(_) => self.rate_limited += 1,
            Outcome::Banned => self.banned += 1,
            Outcome::Unavailable => self.unavailable += 1,
        }
    }
}

impl AddAssign for LimiterStats {
    fn add_assign(&mut self, other: LimiterStats) {
        self.admitted += other.admitted;
        self.rate_limited += other.rate_limited;
        self.banned += other.banned;
        self.unavailable += other.unavailable;
        self.bans += other.bans;
        self.lease_calls += other.lease_calls;
        self.lease_failures += other.lease_failures;
        self.lease_waits += other.lease_waits;
    }
}
