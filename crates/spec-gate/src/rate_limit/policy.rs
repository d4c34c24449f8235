//! The settings of the limiter that do not depend on a plan.

use spec_runtime::RateLimits;

use super::ban::BanPolicy;

/// The settings of the limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimiterPolicy {
    /// When keys are banned; `None` if never.
    pub bans: Option<BanPolicy>,
    /// The limits of each address, for requests without a valid key.
    pub anonymous: RateLimits,
    /// A lease is at most the limit of a window divided by this, and at least 1.
    pub lease_divisor: u64,
    /// The largest lease. A crash can cost a key as much; it is far more than a key uses while the next lease is
    /// under way.
    pub max_lease: u64,
    /// The largest number of addresses counted separately.
    pub max_addresses: usize,
    /// The largest number of keys in memory, apart from those with requests under way.
    pub max_keys: usize,
    /// Seconds without a request after which a key leaves memory; at least [`BanPolicy::refusal_memory`].
    pub idle_after: i64,
}

impl LimiterPolicy {
    /// The usual settings, with these limits for requests without a valid key.
    pub fn new(anonymous: RateLimits) -> LimiterPolicy {
        LimiterPolicy {
            bans: Some(BanPolicy::default()),
            anonymous,
            lease_divisor: 10,
            max_lease: 1_000,
            max_addresses: 100_000,
            max_keys: 100_000,
            idle_after: 10 * 60,
        }
    }

    /// The size of a lease of a window with this limit.
    pub(super) fn lease_size(&self, limit: u64) -> u64 {
        (self.leasable_limit(limit) / self.lease_divisor.max(1)).max(1)
    }

    /// The limit, capped so that a lease is at most [`LimiterPolicy::max_lease`].
    #[inline]
    pub(super) fn leasable_limit(&self, limit: u64) -> u64 {
        limit.min(self.max_lease.saturating_mul(self.lease_divisor))
    }
}
