//! What the clones of a client remember of a refusal, so that one is enough for all of them: calls that can wait do, and
//! the others are told what the service would only say again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ErrorCode;
use crate::answer::Answer;
use crate::retry::Outcome;

/// For so long a refusal is believed; then one request asks whether it still holds. The operator may have lifted a ban
/// or changed the plan.
const BELIEVED: Duration = Duration::from_secs(60);

/// The last refusal, if there was one.
#[derive(Debug, Default)]
pub(crate) struct Pause(Mutex<Option<Arc<Refusal>>>);

/// An answer with 429, and when it came.
#[derive(Debug)]
pub(crate) struct Refusal {
    answer: Option<Answer>,
    banned: bool,
    at: Duration,
    wait: Duration,
}

impl Pause {
    /// Remembers an answer if it is a refusal that says how long it holds.
    pub(crate) fn after(&self, answer: &Answer, outcome: &Outcome, now: Duration) {
        let Some((wait, banned)) = refusal(outcome) else {
            return;
        };
        let refusal = Refusal {
            answer: answer.copy(),
            banned,
            at: now,
            wait,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(refusal));
    }

    /// The refusal that still holds.
    pub(crate) fn at(&self, now: Duration) -> Option<Arc<Refusal>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone().filter(|refusal| now < refusal.until())
    }
}

impl Refusal {
    /// Until when no request is worth sending.
    pub(crate) fn until(&self) -> Duration {
        self.at + self.wait.min(BELIEVED)
    }

    /// What a call is told now that cannot wait until this time. `None` where the answer could not be kept.
    pub(crate) fn answer_for(&self, deadline: Duration, now: Duration) -> Option<Answer> {
        if !self.banned && self.until() < deadline {
            return None;
        }
        let left = self.at.saturating_add(self.wait).saturating_sub(now);
        let begun = u64::from(left.subsec_nanos() > 0);
        let seconds = left.as_secs().saturating_add(begun);
        let answer = self.answer.as_ref()?.copy()?;
        Some(answer.with_retry_after(seconds))
    }
}

/// How long a refusal holds, and whether it is a ban.
fn refusal(outcome: &Outcome) -> Option<(Duration, bool)> {
    let Outcome::Answered {
        status,
        code,
        retry_after,
    } = outcome
    else {
        return None;
    };
    let banned = match code {
        Some(ErrorCode::ApiKeyBanned) => true,
        None | Some(ErrorCode::RateLimitExceeded) => false,
        Some(_) => return None,
    };
    let refused = *status == http::StatusCode::TOO_MANY_REQUESTS;
    retry_after.filter(|_| refused).map(|wait| (wait, banned))
}
