//! Admission: the sender of a request is identified and charged before anything of the request is read.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dropshot::RequestInfo;
use ipnet::IpNet;
use slog::Logger;

use super::route::RoutePolicy;
use crate::auth::{Access, Authenticate, KeyPrincipal, Principal, Unauthenticated};
use crate::error::{ErrorKind, GateError};
use crate::logging::Causes;
use crate::metrics::Metrics;
use crate::rate_limit::{Decision, Ledger, Limiter, Outcome, RateLimitInfo, find_client_address};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The decision whether a request is admitted, with the values for its headers and its log line.
#[derive(Debug)]
pub struct Admission {
    /// The numbers for the headers of the response; `None` if the service has no limiter.
    pub rate_limit: Option<RateLimitInfo>,
    /// The prefix of a valid key, which names it in logs.
    pub key_prefix: Option<String>,
    /// The sender if the request is admitted.
    pub outcome: Result<Principal, GateError>,
}

/// Decides whether each request is admitted: authenticates its sender, and charges the sender's rate limit.
#[derive(Debug)]
pub struct AdmissionControl<A, L> {
    /// Finds the sender of a request.
    pub authenticator: Arc<A>,
    /// Limits keys and addresses; `None` if the service limits nothing.
    pub limiter: Option<Limiter<L>>,
    /// The networks of trusted proxies: their `X-Forwarded-For` gives the address of the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Counts the decisions.
    pub metrics: Metrics,
}

impl<A: Authenticate, L: Ledger> AdmissionControl<A, L> {
    /// Authenticates the sender of a request that arrived at `now`, charges its rate limit, and checks its access.
    pub async fn admit(
        &self,
        request: &RequestInfo,
        policy: RoutePolicy,
        now: DateTime<Utc>,
        log: &Logger,
    ) -> Admission {
        match self
            .authenticator
            .authenticate(request.headers(), now)
            .await
        {
            Ok(Principal::Key(key)) => self.admit_key(key, policy, now, log).await,
            Ok(Principal::Anonymous(reason)) => {
                let decision = self.charge_address(request, policy, now);
                let outcome = match decision.as_ref().and_then(limiter_error) {
                    Some(error) => Err(error),
                    None if policy.public => Ok(Principal::Anonymous(reason)),
                    None => Err(self.unauthorized(reason)),
                };
                Admission {
                    rate_limit: decision.map(|decision| decision.rate_limit),
                    key_prefix: None,
                    outcome,
                }
            }
            // The key is not known, so the numbers are those of the address.
            Err(error) => Admission {
                rate_limit: self
                    .charge_address(request, policy, now)
                    .map(|decision| decision.rate_limit),
                key_prefix: None,
                outcome: Err(GateError::from_storage(&error, log)),
            },
        }
    }

    /// The admission for a request whose [`AdmissionControl::admit`] panicked: it is not admitted, and its headers
    /// report a limit of 0.
    pub fn failed(&self, error: GateError, now: DateTime<Utc>) -> Admission {
        Admission {
            rate_limit: self.limiter.as_ref().map(|_| RateLimitInfo {
                limit: 0,
                remaining: 0,
                reset: now.timestamp(),
                retry_after: None,
            }),
            key_prefix: None,
            outcome: Err(error),
        }
    }

    async fn admit_key(
        &self,
        key: KeyPrincipal,
        policy: RoutePolicy,
        now: DateTime<Utc>,
        log: &Logger,
    ) -> Admission {
        let (mut rate_limit, mut refused) = (None, None);
        if let Some(limiter) = &self.limiter {
            let decision = limiter
                .charge_key(&key.account, u64::from(policy.cost), now.timestamp())
                .await;
            self.metrics.count_decision(key.plan, decision.outcome);
            if let Some(fault) = &decision.fault {
                slog::warn!(log, "the limiter could not use its ledger"; "error" => %Causes(fault));
            }
            rate_limit = Some(decision.rate_limit);
            refused = limiter_error(&decision);
        }
        Admission {
            rate_limit,
            key_prefix: Some(key.prefix.clone()),
            outcome: match refused {
                Some(error) => Err(error),
                None => check_access(key, policy.access),
            },
        }
    }

    /// Charges a request without a valid key to the address of the client. If its operation needs a key, it costs 1,
    /// whatever the operation costs.
    fn charge_address(
        &self,
        request: &RequestInfo,
        policy: RoutePolicy,
        now: DateTime<Utc>,
    ) -> Option<Decision> {
        let limiter = self.limiter.as_ref()?;
        let cost = if policy.public { policy.cost } else { 1 };
        let forwarded_for = request.headers().get_all(FORWARDED_FOR);
        let address = find_client_address(
            request.remote_addr().ip(),
            forwarded_for.iter().map(|line| line.as_bytes()),
            &self.trusted_proxies,
        );
        let decision = limiter.charge_address(address, u64::from(cost), now.timestamp());
        self.metrics.count_decision("none", decision.outcome);
        Some(decision)
    }

    fn unauthorized(&self, reason: Unauthenticated) -> GateError {
        let kind = match reason {
            Unauthenticated::Missing => ErrorKind::MissingApiKey,
            Unauthenticated::Invalid => ErrorKind::InvalidApiKey,
            Unauthenticated::Revoked => ErrorKind::RevokedApiKey,
        };
        GateError::new(kind, self.authenticator.explain(reason))
    }
}

/// The error response for a decision of the limiter; `None` if the limiter admits the request.
fn limiter_error(decision: &Decision) -> Option<GateError> {
    let RateLimitInfo {
        limit, retry_after, ..
    } = decision.rate_limit;
    let wait = retry_after.unwrap_or(1);
    match decision.outcome {
        Outcome::Admitted => None,
        Outcome::RateLimited(window) => Some(GateError::new(
            ErrorKind::RateLimitExceeded,
            format!(
                "the limit of {limit} requests a {} is spent; try again in {wait} seconds",
                window.as_str()
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

fn check_access(key: KeyPrincipal, required: Access) -> Result<Principal, GateError> {
    if key.access.allows(required) {
        return Ok(Principal::Key(key));
    }
    let message = format!(
        "this operation needs a key with {required} access, and this one has {}",
        key.access
    );
    Err(GateError::new(ErrorKind::InsufficientAccess, message))
}
