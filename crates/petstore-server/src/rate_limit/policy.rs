//! What the operator of the limiter decides, as opposed to the figures of a plan.

use super::ban::BanPolicy;
use super::window::Limits;

/// How the limiter works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// When keys are banned; `None` never.
    pub bans: Option<BanPolicy>,
    /// What each address may send without a valid key.
    pub anonymous: Limits,
    /// At most one part in so many of a window's limit is leased and unspent, and at least 1.
    pub lease_parts: u64,
    /// Most addresses to be told apart.
    pub address_cap: usize,
    /// Most keys to be held in memory, beyond those whose requests are under way.
    pub key_cap: usize,
    /// A key that sends nothing for so long goes from memory, in seconds. No less than refusals are remembered.
    pub idle_after: i64,
}

impl Policy {
    /// The usual policy, with these limits for callers without a valid key.
    pub fn new(anonymous: Limits) -> Policy {
        Policy {
            bans: Some(BanPolicy::default()),
            anonymous,
            lease_parts: 10,
            address_cap: 100_000,
            key_cap: 100_000,
            idle_after: 10 * 60,
        }
    }

    /// The most that is leased and unspent of a window with this limit.
    pub(super) fn block(&self, limit: u64) -> u64 {
        (limit / self.lease_parts.max(1)).max(1)
    }
}
