//! The limiter's result for one request.

use super::usage::RateLimitInfo;
use super::window::Window;
use crate::storage_error::StorageError;

/// The limiter's result for one request: its outcome, and the numbers for the headers of the response.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Whether the request is admitted, and why not.
    pub outcome: Outcome,
    /// The numbers for the headers of the response.
    pub rate_limit: RateLimitInfo,
    /// An error of the ledger while loading the key, leasing, or recording a ban, for the log. The ban holds
    /// nevertheless.
    pub fault: Option<StorageError>,
}

/// Whether a request is admitted. A request that is not admitted is not charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The request was charged.
    Admitted,
    /// The request was charged in memory, as the ledger cannot lease requests and the policy admits them.
    AdmittedWithoutLease,
    /// Too few requests remain in this window.
    RateLimited(Window),
    /// Too many requests of cost 0 came in this minute.
    FreeRateLimited,
    /// The key is banned.
    Banned,
    /// Requests remain, but the ledger cannot lease them.
    Unavailable,
}

impl Decision {
    pub(super) fn new(outcome: Outcome, rate_limit: RateLimitInfo) -> Decision {
        Decision {
            outcome,
            rate_limit,
            fault: None,
        }
    }

    pub(super) fn unavailable(rate_limit: RateLimitInfo, fault: StorageError) -> Decision {
        Decision {
            fault: Some(fault),
            ..Decision::new(Outcome::Unavailable, rate_limit)
        }
    }

    /// Whether the request is admitted.
    pub fn is_admitted(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Admitted | Outcome::AdmittedWithoutLease
        )
    }
}
