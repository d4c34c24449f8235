//! Decides whether a request is sent again, and after which delay. Pure: [`Sender`](crate::sending::Sender) sends and waits.

use std::time::Duration;

use dropspec_schema::Method as Registered;
use http::{Method, StatusCode};
use reqwest::Request;

use crate::sending::headers::IDEMPOTENCY_KEY;
use crate::sending::no_response::NoResponse;

/// The settings of retries: how many attempts a call has, with which delays, and until when.
///
/// Retried are 429 and 503 responses, failures to connect (for at most `connect_deadline`), and lost connections
/// (broken, or timed out). Not retried is what cannot succeed: an unknown host, an invalid certificate, and a service
/// that does not speak the protocol of the base URL, HTTP or HTTPS. Where it is not known that a service sends a 503 before
/// any change, a 503 is like a lost connection.
///
/// After a lost connection or the error `outcome_unknown` the service may have performed the request, so only requests
/// that are safe to repeat are sent again: those with a method that the registry of HTTP calls idempotent, such as `GET`, `PUT` and
/// `DELETE`, and a `POST` with an `Idempotency-Key`; never a `PATCH`. Operations that accept an `Idempotency-Key` get one, unless the
/// caller set one: the same for all attempts. A `DELETE` that gets a 404 from the service after a lost attempt counts as done; a `MOVE`
/// that gets one, and another request with `If-Match` that gets a 412, then has an unknown outcome, and its error says so
/// (`outcome_unknown`). A ban
/// (`api_key_banned`) is not retried. A request whose body is a stream is sent once.
///
/// The delay is the one of `Retry-After`, to the second. Without it, the delay is random between zero and a bound that
/// doubles with every attempt (exponential backoff with full jitter). A delay that would pass the deadline is not
/// started: the call returns the result of its last attempt. After a 429, all calls of the client and its clones wait;
/// calls that cannot wait, because of their deadline or a ban, return the same response without being sent. A 429 is
/// assumed to hold for at most a minute. Operations that cost nothing are sent at any time.
///
/// ```
/// use std::time::Duration;
/// use dropspec_client::sending::RetryPolicy;
///
/// let patient = RetryPolicy { deadline: Duration::from_secs(600), ..RetryPolicy::default() };
/// assert_eq!(patient.max_attempts, 8);
/// assert_eq!(RetryPolicy::off().max_attempts, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of attempts, the first one included. Default: 8.
    pub max_attempts: u32,
    /// Maximum number of requests in flight; further calls wait. Default: 8. So few can exceed a limit at once that the
    /// key is not banned for it.
    pub max_in_flight: usize,
    /// Maximum duration of a call with all its attempts and delays, from the moment it may send. Default: 90 seconds,
    /// more than the minute of a rate limit and less than the shortest ban.
    pub deadline: Duration,
    /// Maximum duration of failing to connect, from the first failure on: a restart of the service takes a second or
    /// two, and whatever takes longer should be reported. Default: 10 seconds.
    pub connect_deadline: Duration,
    /// Maximum duration of one attempt, from connecting to the last byte of the response. Default: 15 seconds.
    pub attempt_timeout: Duration,
    /// Maximum delay after the first attempt. Default: 250 milliseconds.
    pub first_delay: Duration,
    /// Upper bound of the doubled delay. Default: 10 seconds.
    pub max_delay: Duration,
}

impl RetryPolicy {
    /// A policy without retries: each request is sent once, without an automatic `Idempotency-Key` and without waiting.
    pub fn off() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }

    /// Whether the policy allows only one attempt, so no retries.
    pub(crate) fn is_off(&self) -> bool {
        self.max_attempts <= 1
    }

    /// The upper bound of the random delay after the attempt with this number, counted from 1.
    pub(crate) fn max_delay_after(&self, attempt: u32) -> Duration {
        let doublings = attempt.saturating_sub(1).min(31);
        self.first_delay
            .saturating_mul(1 << doublings)
            .min(self.max_delay)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 8,
            max_in_flight: 8,
            deadline: Duration::from_secs(90),
            connect_deadline: Duration::from_secs(10),
            attempt_timeout: Duration::from_secs(15),
            first_delay: Duration::from_millis(250),
            max_delay: Duration::from_secs(10),
        }
    }
}

/// The properties of a request that decide whether it is safe to repeat.
#[derive(Clone, Debug)]
pub(crate) struct RequestKind {
    pub(crate) method: Method,
    pub(crate) has_idempotency_key: bool,
    /// Whether a 503 is sent before any change, so that the service asks for the request again, whatever its method.
    pub(crate) is_gate: bool,
}

impl RequestKind {
    pub(crate) fn of(request: &Request, is_gate: bool) -> Self {
        Self {
            method: request.method().clone(),
            has_idempotency_key: request.headers().contains_key(IDEMPOTENCY_KEY),
            is_gate,
        }
    }

    /// Whether performing the request twice has the effect of performing it once.
    pub(crate) fn is_safe_to_repeat(&self) -> bool {
        match self.method {
            Method::POST => self.has_idempotency_key,
            _ => Registered::has(self.method.as_str(), Registered::is_idempotent),
        }
    }

    /// Whether the request is sent again after a 503.
    fn is_repeated_after_503(&self) -> bool {
        self.is_gate || self.is_safe_to_repeat()
    }
}

/// The code of the gate's 429 for a key that is banned.
pub(crate) const API_KEY_BANNED: &str = "api_key_banned";
/// The code of an error which says that the service may have performed the request.
const OUTCOME_UNKNOWN: &str = "outcome_unknown";
/// The code of a 412.
pub(crate) const PRECONDITION_FAILED: &str = "precondition_failed";
/// The code of the gate's 404 for a path that the document does not have.
const ROUTE_NOT_FOUND: &str = "route_not_found";

/// What is known after sending a request one time: the response, or whether the request may have been performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    Response {
        status: StatusCode,
        /// The code in the body of an error.
        code: Option<String>,
        retry_after: Option<Duration>,
    },
    NoResponse(NoResponse),
}

impl AttemptOutcome {
    /// Whether the service may have performed the request although no success was received.
    pub(crate) fn may_have_been_performed(&self) -> bool {
        match self {
            AttemptOutcome::NoResponse(failure) => *failure == NoResponse::Lost,
            AttemptOutcome::Response { status, .. } => {
                *status == StatusCode::SERVICE_UNAVAILABLE || self.has_code(OUTCOME_UNKNOWN)
            }
        }
    }

    /// Whether it is an error with this code.
    fn has_code(&self, expected: &str) -> bool {
        matches!(self, AttemptOutcome::Response { code: Some(code), .. } if code == expected)
    }
}

/// What the client does after an attempt: return a response or retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// The caller gets its result.
    Return,
    /// The caller gets a success: an earlier attempt of this `DELETE` had deleted the record.
    ReturnDeleted,
    /// The caller gets the error `outcome_unknown`: the record changed, perhaps by an earlier attempt of this request.
    ReturnOutcomeUnknown,
    /// The request is sent again after a delay.
    Retry(Delay),
}

/// How long to wait before the next attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delay {
    /// As `Retry-After` says.
    Exactly(Duration),
    /// A random part of this duration.
    RandomUpTo(Duration),
}

/// Decides whether a request is sent again after the attempt with this number, counted from 1.
///
/// `maybe_performed`: an earlier attempt may have been performed.
pub(crate) fn decide_retry(
    policy: &RetryPolicy,
    request: &RequestKind,
    attempt: u32,
    maybe_performed: bool,
    outcome: &AttemptOutcome,
) -> RetryDecision {
    let backoff = RetryDecision::Retry(Delay::RandomUpTo(policy.max_delay_after(attempt)));
    let decision = match outcome {
        // Only the service's own 404 counts: that of a proxy says nothing about the record.
        AttemptOutcome::Response {
            status: StatusCode::NOT_FOUND,
            code: Some(code),
            ..
        } if maybe_performed
            && matches!(request.method.as_str(), "DELETE" | "MOVE")
            && code != ROUTE_NOT_FOUND =>
        {
            return match request.method {
                Method::DELETE => RetryDecision::ReturnDeleted,
                // The source is gone, which does not show that it is at the destination (RFC 4918, section 9.9).
                _ => RetryDecision::ReturnOutcomeUnknown,
            };
        }
        // A `DELETE` that was performed would get a 404.
        _ if outcome.has_code(PRECONDITION_FAILED)
            && maybe_performed
            && request.method != Method::DELETE =>
        {
            return RetryDecision::ReturnOutcomeUnknown;
        }
        _ if outcome.has_code(API_KEY_BANNED) => RetryDecision::Return,
        AttemptOutcome::Response {
            status: StatusCode::SERVICE_UNAVAILABLE,
            ..
        } if !request.is_repeated_after_503() => RetryDecision::Return,
        AttemptOutcome::Response {
            status: StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE,
            retry_after,
            ..
        } => retry_after.map_or(backoff, |wait| RetryDecision::Retry(Delay::Exactly(wait))),
        AttemptOutcome::NoResponse(NoResponse::Lost) if request.is_safe_to_repeat() => backoff,
        _ if outcome.has_code(OUTCOME_UNKNOWN) && request.is_safe_to_repeat() => backoff,
        AttemptOutcome::NoResponse(NoResponse::NotSent) => backoff,
        AttemptOutcome::Response { .. } | AttemptOutcome::NoResponse(_) => RetryDecision::Return,
    };
    if attempt < policy.max_attempts {
        decision
    } else {
        RetryDecision::Return
    }
}

impl Delay {
    /// How long it is this time.
    pub(crate) fn duration(&self) -> Duration {
        match self {
            Delay::Exactly(delay) => *delay,
            Delay::RandomUpTo(maximum) => maximum.mul_f64(fastrand::f64()),
        }
    }
}

#[cfg(test)]
mod tests;
