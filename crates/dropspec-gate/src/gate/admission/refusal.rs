//! Why a request is not admitted, as the error that its sender gets.

use dropspec_runtime::security::{Denial, Identities};

use crate::auth::{Access, Authenticate, Principal, Unauthenticated};
use crate::error::{ErrorKind, GateError};
use crate::rate_limit::{Decision, Outcome, RateLimitInfo};

/// The error of a sender whose credentials do not suffice. `places` is where credentials are expected.
pub fn of_denial(
    denial: Denial<Unauthenticated>,
    authenticator: &impl Authenticate,
    places: &str,
) -> GateError {
    let reason = match denial {
        Denial::Missing => Unauthenticated::Missing,
        Denial::Malformed => Unauthenticated::Invalid,
        Denial::Refused(reason) => reason,
        Denial::InsufficientScope(scopes) => {
            let scopes = scopes.join(", ");
            let message = format!("this operation needs credentials with the scopes: {scopes}");
            return GateError::new(ErrorKind::InsufficientAccess, message);
        }
    };
    let message = authenticator.explain(reason, places);
    GateError::new(authenticator.error_kind(reason), message)
}

/// The error response for a decision of the limiter; `None` if the limiter admits the request.
pub fn of_decision(decision: &Decision) -> Option<GateError> {
    let RateLimitInfo {
        limit, retry_after, ..
    } = decision.rate_limit;
    let wait = retry_after.unwrap_or(1);
    match decision.outcome {
        Outcome::Admitted | Outcome::AdmittedWithoutLease => None,
        Outcome::RateLimited(window) => Some(GateError::new(
            ErrorKind::RateLimitExceeded,
            format!(
                "the limit of {limit} requests a {} is spent; try again in {wait} seconds",
                window.as_str()
            ),
        )),
        Outcome::FreeRateLimited => Some(GateError::new(
            ErrorKind::RateLimitExceeded,
            format!(
                "the limit of {limit} requests a minute to free operations is spent; try again in {wait} seconds"
            ),
        )),
        Outcome::Banned => Some(GateError::new(
            ErrorKind::ApiKeyBanned,
            format!(
                "the API key is banned for sending on after its limit; try again in {wait} seconds"
            ),
        )),
        Outcome::Unavailable => Some(GateError::unavailable()),
    }
}

/// Checks that the access of all senders of a request suffices.
pub fn check_access<T>(
    principals: &Identities<Principal<T>>,
    required: Access,
) -> Result<(), GateError> {
    let mut accesses = principals.iter().map(|principal| principal.access);
    if let Some(access) = accesses.find(|access| !access.allows(required)) {
        let message =
            format!("this operation needs a key with {required} access, and this one has {access}");
        return Err(GateError::new(ErrorKind::InsufficientAccess, message));
    }
    Ok(())
}
