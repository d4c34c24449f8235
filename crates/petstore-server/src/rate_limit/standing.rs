//! What a caller is told: whether the request goes on, and where it stands against its limits.

use super::window::Window;
use crate::store::StoreError;

/// The figures of the `X-RateLimit-*` headers, and of `Retry-After` where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// `X-RateLimit-Limit`: requests that the window allows.
    pub limit: u64,
    /// `X-RateLimit-Remaining`: requests that are left in it.
    pub remaining: u64,
    /// `X-RateLimit-Reset`, in Unix seconds: when it ends, or when the ban does.
    pub reset: i64,
    /// `Retry-After`, in seconds, at least 1: present when the request is refused by limit or ban.
    pub retry_after: Option<i64>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was charged and goes on.
    Admitted,
    /// 429 `rate_limit_exceeded`: this window has no room for it. It was not charged.
    RateLimited(Window),
    /// 429 `api_key_banned`. It was not charged.
    Banned,
    /// 503 `unavailable`: there is room, but the store cannot lease it. It was not charged.
    Unavailable,
}

/// The answer of the limiter to one request.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// What becomes of it.
    pub outcome: Outcome,
    /// What its answer is stamped with.
    pub standing: Standing,
    /// What the store failed at meanwhile, for the log: a lease, or keeping a ban, which holds nevertheless.
    pub fault: Option<StoreError>,
}

impl Standing {
    /// The same figures, for a request that is refused at `now` (Unix seconds) until they are reset.
    pub(super) fn refused_at(self, now: i64) -> Standing {
        Standing {
            retry_after: Some((self.reset - now).max(1)),
            ..self
        }
    }
}

impl Verdict {
    pub(super) fn new(outcome: Outcome, standing: Standing) -> Verdict {
        Verdict {
            outcome,
            standing,
            fault: None,
        }
    }

    /// Whether the request goes on.
    pub fn is_admitted(&self) -> bool {
        self.outcome == Outcome::Admitted
    }
}
