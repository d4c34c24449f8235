//! What the limiter counts of itself, for the operator's metrics.

use std::ops::AddAssign;

use super::standing::Outcome;

/// How often each thing happened since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests admitted.
    pub admitted: u64,
    /// Requests refused by a limit.
    pub rate_limited: u64,
    /// Requests refused by a ban, those that crossed into one included.
    pub banned: u64,
    /// Requests that found no lease to be had.
    pub unavailable: u64,
    /// Bans begun.
    pub bans: u64,
    /// Times the store was asked to lease or take back.
    pub lease_calls: u64,
    /// Those of them that failed.
    pub lease_failures: u64,
    /// Requests that had to wait for a lease.
    pub lease_waits: u64,
}

impl Tally {
    pub(super) fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Admitted => self.admitted += 1,
            Outcome::RateLimited(_) => self.rate_limited += 1,
            Outcome::Banned => self.banned += 1,
            Outcome::Unavailable => self.unavailable += 1,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
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
