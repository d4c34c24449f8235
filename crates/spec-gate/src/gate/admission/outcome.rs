//! The outcome of an admission.

use spec_runtime::Permit;
use spec_runtime::security::Identities;

use crate::auth::{KeyPrefix, Principal};
use crate::error::GateError;
use crate::gate::challenge::Reason;
use crate::gate::refused_keys::Logging;
use crate::rate_limit::RateLimitInfo;

/// The decision whether a request is admitted, with the values for its headers and its log line.
#[derive(Debug)]
pub struct Admission<I, T> {
    /// The numbers for the headers of the response; `None` if the service has no limiter.
    pub rate_limit: Option<RateLimitInfo>,
    /// The name of a verified sender in logs.
    pub key_prefix: Option<KeyPrefix>,
    /// The id of a verified sender; that of its limits.
    pub key_id: Option<i64>,
    /// The permit and the senders if the request is admitted.
    pub outcome: Result<Admitted<I, T>, GateError>,
    /// How the client should authenticate if the response is 401 or 403.
    pub challenge: Option<Reason>,
    /// Whether the request has a line in the log.
    pub logging: Logging,
}

/// An admitted request.
#[derive(Debug)]
pub struct Admitted<I, T> {
    /// The permit to call its operation; `None` if it has no operation.
    pub permit: Option<Permit<I>>,
    /// Its verified senders; none if it is anonymous.
    pub principals: Identities<Principal<T>>,
}

impl<I, T> Admission<I, T> {
    /// The admission of a request that nobody is charged for.
    pub fn uncharged() -> Admission<I, T> {
        Admission::anonymous(Ok(Admitted::anonymous()))
    }

    /// The admission of a sender that is not known, without numbers for the headers.
    pub(super) fn anonymous(outcome: Result<Admitted<I, T>, GateError>) -> Admission<I, T> {
        Admission {
            rate_limit: None,
            key_prefix: None,
            key_id: None,
            outcome,
            challenge: None,
            logging: Logging::LOGGED,
        }
    }
}

impl<I, T> Admitted<I, T> {
    /// A request without an operation, whose sender is not known.
    pub(super) fn anonymous() -> Admitted<I, T> {
        Admitted {
            permit: None,
            principals: Identities::default(),
        }
    }
}
