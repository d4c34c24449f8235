//! The settings of the limiter that do not depend on a plan.

use spec_runtime::RateLimits;

/// The settings of the limiter that do not depend on a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimiterPolicy {
    /// Whether keys that keep sending after their limit are banned.
    pub bans_enabled: bool,
    /// The limits of each address, for requests without a valid key.
    pub anonymous: RateLimits,
    /// The largest number of addresses counted separately.
    pub max_addresses: usize,
    /// The largest number of keys in memory, apart from those with requests under way.
    pub max_keys: usize,
}

impl LimiterPolicy {
    /// Creates the usual settings, with these limits for requests without a valid key.
    pub fn new(anonymous: RateLimits) -> LimiterPolicy {
        LimiterPolicy {
            bans_enabled: true,
            anonymous,
            max_addresses: 100_000,
            max_keys: 100_000,
        }
    }
}
