//! The last 429 response, shared by the clones of a client: calls that can wait do so before they are sent, the others
//! get the same response without being sent.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::sending::buffered_response::BufferedResponse;
use crate::sending::retry::{API_KEY_BANNED, AttemptOutcome};

/// The longest time for which calls wait because of one 429, even if its `Retry-After` is longer. After it one request
/// is sent, since the operator may have lifted a ban or changed the plan.
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// The last 429 response that a client or one of its clones received, if any. Their calls wait while it applies.
#[derive(Debug, Default)]
pub(crate) struct SharedBackoff(Mutex<Option<Arc<TooManyRequests>>>);

/// A recorded 429 response, when it arrived (on the client's clock), and the wait that it asks for.
#[derive(Debug)]
pub(crate) struct TooManyRequests {
    response: BufferedResponse,
    is_ban: bool,
    received_at: Duration,
    wait: Duration,
}

impl SharedBackoff {
    /// Records the response if it is a 429 of the service's rate limit or a ban, with `Retry-After`.
    pub(crate) fn record(
        &self,
        response: &BufferedResponse,
        outcome: &AttemptOutcome,
        now: Duration,
    ) {
        let Some((wait, is_ban)) = wait_of_too_many_requests(outcome) else {
            return;
        };
        let recorded = TooManyRequests {
            response: response.clone(),
            is_ban,
            received_at: now,
            wait,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(recorded));
    }

    /// The recorded 429 if calls must still wait for it at the time `now`.
    pub(crate) fn active_at(&self, now: Duration) -> Option<Arc<TooManyRequests>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone().filter(|recorded| now < recorded.retry_at())
    }
}

impl TooManyRequests {
    /// The time on the client's clock from which requests may be sent again.
    pub(crate) fn retry_at(&self) -> Duration {
        self.received_at + self.wait.min(MAX_BACKOFF)
    }

    /// Status and error code of the response.
    pub(crate) fn summary(&self) -> String {
        self.response.summary()
    }

    /// For a call that must not be sent (a ban, or its deadline comes before the end of the wait): a copy of this 429
    /// with the seconds left as `Retry-After`. `None` if the call may wait and be sent.
    pub(crate) fn response_for(
        &self,
        deadline: Duration,
        now: Duration,
    ) -> Option<BufferedResponse> {
        if !self.is_ban && self.retry_at() < deadline {
            return None;
        }
        let left = self
            .received_at
            .saturating_add(self.wait)
            .saturating_sub(now);
        let started_second = u64::from(left.subsec_nanos() > 0);
        let seconds = left.as_secs().saturating_add(started_second);
        Some(self.response.clone().with_retry_after(seconds))
    }
}

/// The wait that a 429 of the rate limit or of a ban asks for, and whether it is a ban; `None` for other outcomes.
fn wait_of_too_many_requests(outcome: &AttemptOutcome) -> Option<(Duration, bool)> {
    let AttemptOutcome::Response {
        status: http::StatusCode::TOO_MANY_REQUESTS,
        code,
        retry_after: Some(wait),
    } = outcome
    else {
        return None;
    };
    match code.as_deref() {
        Some(API_KEY_BANNED) => Some((*wait, true)),
        None | Some("rate_limit_exceeded") => Some((*wait, false)),
        Some(_) => None,
    }
}
