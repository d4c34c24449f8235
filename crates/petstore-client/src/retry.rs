//! When a request is sent again, and after how long. Pure: sending and waiting are the transport's.

use std::time::Duration;

use http::{Method, StatusCode};

use crate::ErrorCode;

/// How a client deals with a service that is busy, away, or tired of it.
///
/// Sent again are requests that were answered with 429 or 503, that found nobody listening, or whose connection broke
/// (a timeout counts as that). After a broken connection nobody knows whether the request was performed, so then only
/// what may be performed twice is sent again: every `GET`, `PUT` and `DELETE`, a `POST` with an `Idempotency-Key`, but
/// never a `PATCH`. Operations that take such a key get one by themselves, the same for all attempts, unless the caller
/// gave one. A `DELETE` to which the service itself answers 404 after an attempt of unknown end counts as done. An API
/// key that is banned (`api_key_banned`) is not used again by itself.
///
/// The wait is what `Retry-After` says, to the second. Without it, the wait is chosen at random between nothing and a
/// bound that doubles with every attempt (exponential backoff with full jitter). A wait that would outlast the deadline
/// is not begun: the caller then gets what the last attempt ended in. What one call was refused (429), the others of the
/// same client and its clones wait for too; where they cannot, because of their deadline or of a ban, they get the same
/// refusal without being sent. A refusal is believed for a minute at most. What costs nothing is sent all the same.
///
/// ```
/// use std::time::Duration;
/// use petstore_client::RetryPolicy;
///
/// let patient = RetryPolicy { deadline: Duration::from_secs(600), ..RetryPolicy::default() };
/// assert_eq!(patient.max_attempts, 8);
/// assert_eq!(RetryPolicy::off().max_attempts, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a request is sent at most, the first time included. Default: 8.
    pub max_attempts: u32,
    /// How many requests may be under way at once; others wait for their turn. Default: 8. Of a crowd of calls only so
    /// many can then run into a limit together, which is too few to be banned for.
    pub max_in_flight: usize,
    /// How long a call may take in all, waits included, once it had its turn. Default: 90 seconds, which is enough to sit
    /// out a minute's limit and less than the shortest ban.
    pub deadline: Duration,
    /// How long one attempt may take, from connecting to the last byte of the answer. Default: 15 seconds.
    pub attempt_timeout: Duration,
    /// The most that is waited after the first attempt. Default: 250 milliseconds.
    pub first_delay: Duration,
    /// The bound stops doubling here. Default: 10 seconds.
    pub max_delay: Duration,
}

impl RetryPolicy {
    /// Every request is sent once, at once and as it is, and its answer is the caller's, whatever it is.
    pub fn off() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }

    /// Whether there is only one attempt, and so nothing to wait for.
    pub(crate) fn is_off(&self) -> bool {
        self.max_attempts <= 1
    }

    /// The longest wait after the attempt with this number, counted from 1.
    pub(crate) fn bound(&self, attempt: u32) -> Duration {
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
            attempt_timeout: Duration::from_secs(15),
            first_delay: Duration::from_millis(250),
            max_delay: Duration::from_secs(10),
        }
    }
}

/// What a request asks for, as far as repeating it is concerned.
#[derive(Clone, Debug)]
pub(crate) struct Repeatability {
    pub(crate) method: Method,
    /// Whether it carries an `Idempotency-Key`.
    pub(crate) has_key: bool,
}

impl Repeatability {
    /// Whether performing it twice is the same as performing it once.
    fn may_be_done_twice(&self) -> bool {
        match self.method {
            Method::POST => self.has_key,
            _ => self.method.is_idempotent(),
        }
    }
}

/// How one attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answered {
        status: StatusCode,
        code: Option<ErrorCode>,
        retry_after: Option<Duration>,
    },
    /// Nobody listened: certainly not performed.
    Unsent,
    /// The connection broke or was silent for too long: perhaps performed.
    Lost,
    /// Sending it again would end the same way.
    Hopeless,
}

impl Outcome {
    /// Whether the service may have performed the request without our hearing of it.
    pub(crate) fn leaves_doubt(&self) -> bool {
        match self {
            Outcome::Lost => true,
            Outcome::Answered { status, .. } => *status == StatusCode::SERVICE_UNAVAILABLE,
            Outcome::Unsent | Outcome::Hopeless => false,
        }
    }
}

/// What follows from an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The caller gets it.
    Final,
    /// A `DELETE` found nothing because an attempt before it, of which nobody knew, had deleted it: done.
    AlreadyDeleted,
    /// Once more, after a wait.
    Again(Wait),
}

/// How long to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// What the service asked for.
    Exactly(Duration),
    /// A random part of this.
    UpTo(Duration),
}

/// Judges the attempt with this number, counted from 1. `doubt`: an attempt before it left doubt.
pub(crate) fn judge(
    policy: &RetryPolicy,
    request: &Repeatability,
    attempt: u32,
    doubt: bool,
    outcome: &Outcome,
) -> Verdict {
    let backoff = Verdict::Again(Wait::UpTo(policy.bound(attempt)));
    let verdict = match outcome {
        // Somebody else's 404, such as that of a proxy whose service is away, says nothing about the record.
        Outcome::Answered {
            status: StatusCode::NOT_FOUND,
            code: Some(code),
            ..
        } if doubt && request.method == Method::DELETE && *code != ErrorCode::RouteNotFound => {
            return Verdict::AlreadyDeleted;
        }
        Outcome::Answered {
            code: Some(ErrorCode::ApiKeyBanned),
            ..
        } => Verdict::Final,
        Outcome::Answered {
            status,
            retry_after,
            ..
        } if is_temporary(*status) => {
            retry_after.map_or(backoff, |wait| Verdict::Again(Wait::Exactly(wait)))
        }
        Outcome::Lost if request.may_be_done_twice() => backoff,
        Outcome::Unsent => backoff,
        Outcome::Answered { .. } | Outcome::Lost | Outcome::Hopeless => Verdict::Final,
    };
    if attempt < policy.max_attempts {
        verdict
    } else {
        Verdict::Final
    }
}

fn is_temporary(status: StatusCode) -> bool {
    [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ]
    .contains(&status)
}

#[cfg(test)]
mod tests;
