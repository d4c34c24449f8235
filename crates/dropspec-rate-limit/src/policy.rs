//! The settings of the limiter that do not depend on a plan.

use std::time::Duration;

use crate::RateLimits;

/// The settings of the limiter that do not depend on a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimiterPolicy {
    /// Whether keys that keep sending after their limit are banned.
    pub bans_enabled: bool,
    /// The limits of each address: for requests without a valid key, and again for pages.
    pub anonymous: RateLimits,
    /// The largest number of keys in memory, apart from those with requests under way.
    pub max_keys: usize,
    /// How long a request waits for the ledger, in all.
    pub ledger_timeout: Duration,
    /// What happens to a request that needs the ledger while the ledger fails or does not answer in time.
    pub without_ledger: WithoutLedger,
}

/// What happens to a request that needs a lease while the ledger fails or does not answer in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum WithoutLedger {
    /// Refuse the request with 503: no limit is ever exceeded
    Refuse,
    /// Admit the request and count it in memory: a crash before the ledger works again forgets it
    Admit,
}

impl LimiterPolicy {
    /// Creates the usual settings, with these limits for requests without a valid key.
    pub fn new(anonymous: RateLimits) -> LimiterPolicy {
        LimiterPolicy {
            bans_enabled: true,
            anonymous,
            max_keys: 1_000_000,
            ledger_timeout: Duration::from_millis(1500),
            without_ledger: WithoutLedger::Refuse,
        }
    }
}
