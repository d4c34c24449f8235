//! Admission: the sender of a request is identified and charged before anything of the request is read.

use std::net::IpAddr;
use std::sync::Arc;

use dropshot::RequestInfo;
use ipnet::IpNet;

use super::refused_keys::{Logging, RefusedKeys};
use super::route::RoutePolicy;
use crate::auth::{Access, Authenticate, KeyPrefix, KeyPrincipal, Principal, Unauthenticated};
use crate::clock::Time;
use crate::error::{ErrorKind, GateError};
use crate::logging::Causes;
use crate::metrics::Metrics;
use crate::rate_limit::{Decision, Ledger, Limiter, Outcome, RateLimitInfo, find_client_address};
use crate::request_log::RequestLog;
use crate::storage_error::StorageError;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The decision whether a request is admitted, with the values for its headers and its log line.
#[derive(Debug)]
pub struct Admission {
    /// The numbers for the headers of the response; `None` if the service has no limiter.
    pub rate_limit: Option<RateLimitInfo>,
    /// The prefix of a valid key, which names it in logs.
    pub key_prefix: Option<KeyPrefix>,
    /// The sender if the request is admitted.
    pub outcome: Result<Principal, GateError>,
    /// Whether the request has a line in the log.
    pub logging: Logging,
}

/// Decides whether each request is admitted: authenticates its sender, and charges the sender's rate limit.
#[derive(Debug)]
pub struct AdmissionControl<A, L> {
    /// Finds the sender of a request.
    pub authenticator: Arc<A>,
    /// Limits keys and addresses; `None` if the service limits nothing.
    pub limiter: Option<Limiter<L>>,
    /// The keys that were refused last.
    pub refused_keys: RefusedKeys,
    /// The networks of trusted proxies: their `X-Forwarded-For` gives the address of the client.
    pub trusted_proxies: Vec<IpNet>,
    /// Counts the decisions.
    pub metrics: Metrics,
}

impl<A: Authenticate, L: Ledger> AdmissionControl<A, L> {
    /// Authenticates the sender of a request that arrived at `time`, charges its rate limit, and checks its access.
    pub async fn admit(
        &self,
        request: &RequestInfo,
        policy: RoutePolicy,
        time: Time,
        log: RequestLog<'_>,
    ) -> Admission {
        match self
            .authenticator
            .authenticate(request.headers(), time.wall)
            .await
        {
            Ok(Principal::Key(key)) => self.admit_key(key, policy, time, log).await,
            Ok(Principal::Anonymous(reason)) => {
                let cost = u64::from(if policy.public { policy.cost } else { 1 });
                let decision = self.charge_address(request, cost, time);
                let outcome = match decision.as_ref().and_then(limiter_error) {
                    Some(error) => Err(error),
                    None if policy.public => Ok(Principal::Anonymous(reason)),
                    None => Err(self.unauthorized(reason)),
                };
                Admission {
                    rate_limit: decision.map(|decision| decision.rate_limit),
                    ..Admission::anonymous(outcome)
                }
            }
            // The key is not known, so the numbers are those of the address.
            Err(error) => Admission {
                rate_limit: self
                    .charge_address(request, 1, time)
                    .map(|decision| decision.rate_limit),
                ..Admission::anonymous(Err(GateError::from_storage(&error, log)))
            },
        }
    }

    /// Charges a request for a page to the address of the client. Its key does not matter.
    pub fn admit_page(&self, request: &RequestInfo, time: Time) -> Admission {
        let decision = self.limiter.as_ref().map(|limiter| {
            let decision = limiter.charge_page(self.find_address(request), time);
            self.metrics.count_decision("pages", decision.outcome);
            decision
        });
        let refused = decision.as_ref().and_then(limiter_error);
        Admission {
            rate_limit: decision.map(|decision| decision.rate_limit),
            ..Admission::anonymous(match refused {
                Some(error) => Err(error),
                None => Ok(Principal::Anonymous(Unauthenticated::Missing)),
            })
        }
    }

    /// The admission for a request whose [`AdmissionControl::admit`] panicked: it is not admitted, and its headers
    /// report a limit of 0.
    pub fn failed(&self, error: GateError, time: Time) -> Admission {
        Admission {
            rate_limit: self.limiter.as_ref().map(|_| RateLimitInfo {
                limit: 0,
                remaining: 0,
                reset: time.wall.timestamp(),
                retry_after: None,
            }),
            ..Admission::anonymous(Err(error))
        }
    }

    async fn admit_key(
        &self,
        key: KeyPrincipal,
        policy: RoutePolicy,
        time: Time,
        log: RequestLog<'_>,
    ) -> Admission {
        let key_prefix = Some(key.prefix);
        let (mut rate_limit, mut refused, mut logging) = (None, None, Logging::LOGGED);
        if let Some(limiter) = &self.limiter {
            let decision = limiter
                .charge_key(&key.account, u64::from(policy.cost), time)
                .await;
            rate_limit = Some(decision.rate_limit);
            refused = self.apply_decision(key.plan, &decision, log);
            if decision.rate_limit.retry_after.is_some() {
                let second = time.wall.timestamp();
                logging = self.refused_keys.count(key.account.key_id, second);
            }
        }
        Admission {
            rate_limit,
            key_prefix,
            outcome: match refused {
                Some(error) => Err(error),
                None => check_access(key, policy.access),
            },
            logging,
        }
    }

    /// Counts the limiter's decision on a request of a key, logs a fault of the ledger, and returns the error for a
    /// request that is not admitted.
    fn apply_decision(
        &self,
        plan: &'static str,
        decision: &Decision,
        log: RequestLog<'_>,
    ) -> Option<GateError> {
        self.metrics.count_decision(plan, decision.outcome);
        if let Some(fault) = &decision.fault
            && !matches!(fault, StorageError::OutOfUse(_))
        {
            slog::warn!(log.logger(), "the limiter could not use its ledger"; "error" => %Causes(fault));
        }
        limiter_error(decision)
    }

    /// Charges a request without a valid key to the address of the client.
    fn charge_address(&self, request: &RequestInfo, cost: u64, time: Time) -> Option<Decision> {
        let limiter = self.limiter.as_ref()?;
        let decision = limiter.charge_address(self.find_address(request), cost, time);
        self.metrics.count_decision("none", decision.outcome);
        Some(decision)
    }

    fn find_address(&self, request: &RequestInfo) -> IpAddr {
        let forwarded_for = request.headers().get_all(FORWARDED_FOR);
        find_client_address(
            request.remote_addr().ip(),
            forwarded_for.iter().map(|line| line.as_bytes()),
            &self.trusted_proxies,
        )
    }

    fn unauthorized(&self, reason: Unauthenticated) -> GateError {
        let kind = match reason {
            Unauthenticated::Missing => ErrorKind::MissingApiKey,
            Unauthenticated::Invalid => ErrorKind::InvalidApiKey,
            Unauthenticated::Revoked | Unauthenticated::Replaced => ErrorKind::RevokedApiKey,
        };
        GateError::new(kind, self.authenticator.explain(reason))
    }
}

impl Admission {
    /// The admission of a sender that is not known, without numbers for the headers.
    fn anonymous(outcome: Result<Principal, GateError>) -> Admission {
        Admission {
            rate_limit: None,
            key_prefix: None,
            outcome,
            logging: Logging::LOGGED,
        }
    }
}

/// The error response for a decision of the limiter; `None` if the limiter admits the request.
fn limiter_error(decision: &Decision) -> Option<GateError> {
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
