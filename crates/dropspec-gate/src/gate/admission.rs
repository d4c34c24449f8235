//! Admission: the sender of a request is identified and charged before anything of the request is read.

mod refusal;

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use dropshot::RequestInfo;
use dropspec_runtime::security::{Credentials, Identities, Verified, Verify};
use dropspec_runtime::{Interface, Permit, SecuritySchemeInfo};

use super::challenge::Reason;
use super::credentials::Credentials as StreamCredentials;
use super::refused_keys::Logging;
use super::route::RoutePolicy;
use super::state::{Gate, Identity, Service};
use crate::auth::{Authenticate, KeyPrefix, Principal, Unauthenticated};
use crate::clock::Time;
use crate::error::GateError;
use crate::logging::Causes;
use crate::rate_limit::{Decision, RateLimitInfo, find_client_address};
use crate::request_log::RequestLog;
use crate::storage_error::StorageError;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// What the route of a request demands, for its admission.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// The operation; `None` if it has none.
    pub operation: Option<usize>,
    /// The cost, the access, and whether it is public.
    pub policy: RoutePolicy,
    /// Where credentials are expected.
    pub places: &'a str,
}

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

/// The permit to call the operation of an admitted request, `None` if it has none; and its verified senders, none if it is
/// anonymous.
pub type Admitted<I, T> = (Option<Permit<I>>, Identities<Principal<T>>);

/// The authenticator at the time of a request.
struct Hook<'a, A> {
    authenticator: &'a A,
    schemes: &'static [SecuritySchemeInfo],
    now: DateTime<Utc>,
}

impl<A: Authenticate> Verify for Hook<'_, A> {
    type Identity = Principal<A::Identity>;
    type Refusal = Unauthenticated;
    type Failure = StorageError;

    fn verify(
        &self,
        scheme: usize,
        credentials: Credentials<'_>,
    ) -> impl Future<Output = Verified<Self::Identity, Unauthenticated, StorageError>> + Send {
        let scheme = &self.schemes[scheme];
        self.authenticator.verify(scheme, credentials, self.now)
    }

    fn has_scope(&self, principal: &Self::Identity, scope: &str) -> bool {
        self.authenticator.has_scope(&principal.identity, scope)
    }
}

impl<S: Service> Gate<S> {
    /// Authenticates the sender of a request that arrived at `time`, charges its rate limit, and checks its access.
    pub(super) async fn admit(
        &self,
        request: &RequestInfo,
        demand: Demand<'_>,
        time: Time,
        log: RequestLog<'_>,
    ) -> Admission<S::Interface, Identity<S>> {
        let hook = Hook {
            authenticator: &*self.authenticator,
            schemes: S::Interface::security_schemes(),
            now: time.wall,
        };
        let (headers, query) = (request.headers(), request.uri().query());
        let security = &self.security;
        let checked = match demand.operation {
            Some(operation) => {
                let checked = security.authorize(operation, headers, query, &hook).await;
                checked.map(|it| (it.identities, it.outcome.map(Some)))
            }
            None => {
                let checked = security.identify(headers, query, &hook).await;
                checked.map(|it| (it.identities, it.outcome.map(|()| None)))
            }
        };
        let policy = demand.policy;
        let (principals, outcome) = match checked {
            // Whoever sends a malformed request learns what is wrong.
            Ok((principals, Err(_))) if demand.operation.is_none() && policy.public => {
                (principals, Ok(None))
            }
            Ok(checked) => checked,
            // The sender is not known, so the numbers are those of the address.
            Err(error) => {
                let decision = self.charge_address(request, 1, time);
                return Admission {
                    rate_limit: decision.map(|decision| decision.rate_limit),
                    ..Admission::anonymous(Err(GateError::from_storage(&error, log)))
                };
            }
        };
        let denial = outcome.as_ref().err();
        let challenge = denial.map(|denial| Reason::of_denial(denial, headers));
        let (decision, logging) = match principals.first() {
            Some(principal) => self.charge_principal(principal, policy, time, log).await,
            None => {
                let cost = u64::from(if policy.public { policy.cost } else { 1 });
                (self.charge_address(request, cost, time), Logging::LOGGED)
            }
        };
        let refused = decision.as_ref().and_then(refusal::of_decision);
        Admission {
            rate_limit: decision.map(|decision| decision.rate_limit),
            key_prefix: principals.first().map(|principal| principal.prefix),
            key_id: principals.first().map(|principal| principal.account.key_id),
            challenge,
            outcome: match (refused, outcome) {
                (Some(error), _) => Err(error),
                (None, Err(denial)) => {
                    let authenticator = &*self.authenticator;
                    Err(refusal::of_denial(denial, authenticator, demand.places))
                }
                // What anybody may call is not refused to those who say who they are.
                (None, Ok(permit)) if policy.public => Ok((permit, principals)),
                (None, Ok(permit)) => {
                    refusal::check_access(&principals, policy.access).map(|()| (permit, principals))
                }
            },
            logging,
        }
    }

    /// Whether the credentials of an earlier request are still those of this sender, and it is not banned. What cannot be read
    /// now counts as it did.
    pub(super) async fn are_valid(&self, credentials: &StreamCredentials, time: Time) -> bool {
        let hook = Hook {
            authenticator: &*self.authenticator,
            schemes: S::Interface::security_schemes(),
            now: time.wall,
        };
        let (headers, query) = (&credentials.headers, credentials.query.as_deref());
        let checked = match credentials.operation {
            Some(operation) => {
                let checked = self
                    .security
                    .authorize(operation, headers, query, &hook)
                    .await;
                checked.map(|it| it.identities)
            }
            None => {
                let checked = self.security.identify(headers, query, &hook).await;
                checked.map(|it| it.identities)
            }
        };
        let Ok(identities) = checked else {
            return true;
        };
        let key_id = credentials.key_id;
        let mut accounts = identities.iter().map(|it| &it.account);
        let account = accounts.find(|it| it.key_id == key_id);
        match (account, &self.limiter) {
            (Some(account), Some(limiter)) => {
                let status = limiter.status(account, time).await;
                !status.is_ok_and(|it| it.banned_until.is_some())
            }
            (account, _) => account.is_some(),
        }
    }

    /// Charges a request for a page to the address of the client. Its key does not matter.
    pub(super) fn admit_page(
        &self,
        request: &RequestInfo,
        time: Time,
    ) -> Admission<S::Interface, Identity<S>> {
        let decision = self.limiter.as_ref().map(|limiter| {
            let decision = limiter.charge_page(self.find_address(request), time);
            self.metrics.count_decision("pages", decision.outcome);
            decision
        });
        let refused = decision.as_ref().and_then(refusal::of_decision);
        Admission {
            rate_limit: decision.map(|decision| decision.rate_limit),
            ..Admission::anonymous(refused.map_or_else(|| Ok(Default::default()), Err))
        }
    }

    /// The admission for a request whose [`Gate::admit`] panicked: it is not admitted, and its headers
    /// report a limit of 0.
    pub(super) fn failed_admission(
        &self,
        error: GateError,
        time: Time,
    ) -> Admission<S::Interface, Identity<S>> {
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

    /// Charges a request to its verified sender, and logs a fault of the ledger.
    async fn charge_principal(
        &self,
        principal: &Principal<Identity<S>>,
        policy: RoutePolicy,
        time: Time,
        log: RequestLog<'_>,
    ) -> (Option<Decision>, Logging) {
        let Some(limiter) = &self.limiter else {
            return (None, Logging::LOGGED);
        };
        let account = &principal.account;
        let decision = limiter.charge_key(account, u64::from(policy.cost), time);
        let decision = decision.await;
        self.metrics
            .count_decision(principal.plan, decision.outcome);
        if let Some(fault) = &decision.fault
            && !matches!(fault, StorageError::OutOfUse(_))
        {
            slog::warn!(log.logger(), "the limiter could not use its ledger"; "error" => %Causes(fault));
        }
        let logging = match decision.rate_limit.retry_after {
            Some(_) => self
                .refused_keys
                .count(account.key_id, time.wall.timestamp()),
            None => Logging::LOGGED,
        };
        (Some(decision), logging)
    }

    /// Charges a request without a valid key to the address of the client.
    fn charge_address(&self, request: &RequestInfo, cost: u64, time: Time) -> Option<Decision> {
        let limiter = self.limiter.as_ref()?;
        let decision = limiter.charge_address(self.find_address(request), cost, time);
        self.metrics.count_decision("none", decision.outcome);
        Some(decision)
    }

    /// The address of the client, behind trusted proxies.
    pub(super) fn find_address(&self, request: &RequestInfo) -> IpAddr {
        let forwarded_for = request.headers().get_all(FORWARDED_FOR);
        find_client_address(
            request.remote_addr().ip(),
            forwarded_for.iter().map(|line| line.as_bytes()),
            &self.policy.trusted_proxies,
        )
    }
}

impl<I, T> Admission<I, T> {
    /// The admission of a request that nobody is charged for.
    pub fn uncharged() -> Admission<I, T> {
        Admission::anonymous(Ok(Default::default()))
    }

    /// The admission of a sender that is not known, without numbers for the headers.
    fn anonymous(outcome: Result<Admitted<I, T>, GateError>) -> Admission<I, T> {
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
