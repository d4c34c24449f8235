//! How requests travel: with the key, again when it makes sense, and not while the service asked for patience.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode};

use crate::answer::{Answer, outcome};
use crate::clock::Clock;
use crate::idempotency::takes_key;
use crate::retry::{Outcome, Repeatability, RetryPolicy, Verdict, Wait, judge};
use crate::{Client, ErrorCode};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What the requests of a client share. Clones of a client share it too.
#[derive(Clone)]
pub struct Transport {
    /// `None`: the key is none that a header can carry.
    api_key: Option<HeaderValue>,
    pub(crate) policy: RetryPolicy,
    pub(crate) clock: Arc<dyn Clock>,
    pause: Arc<Pause>,
}

impl Transport {
    pub(crate) fn new(api_key: &str, policy: RetryPolicy, clock: Arc<dyn Clock>) -> Self {
        let mut api_key = HeaderValue::try_from(api_key).ok();
        if let Some(key) = &mut api_key {
            key.set_sensitive(true);
        }
        Self {
            api_key,
            policy,
            clock,
            pause: Arc::default(),
        }
    }

    /// Sends a request until its answer is final.
    async fn send(&self, client: &reqwest::Client, request: Request) -> reqwest::Result<Response> {
        let policy = &self.policy;
        let repeatability = Repeatability {
            method: request.method().clone(),
            has_key: request.headers().contains_key(IDEMPOTENCY_KEY),
        };
        let deadline = self.clock.elapsed() + policy.deadline;
        let mut next = Some(request);
        let mut attempt = 0;
        let mut doubt = false;
        loop {
            self.hold_back(deadline).await;
            let Some(mut request) = next.take() else {
                unreachable!("an attempt is judged final unless its request was kept")
            };
            attempt += 1;
            next = request.try_clone();
            let left = deadline.saturating_sub(self.clock.elapsed());
            *request.timeout_mut() = Some(policy.attempt_timeout.min(left));

            let answer = match client.execute(request).await {
                Ok(response) => Answer::read(response).await,
                Err(error) => Err(error),
            };
            let outcome = outcome(&answer);
            self.pause_after(&outcome);
            let wait = match judge(policy, &repeatability, attempt, doubt, &outcome) {
                Verdict::AlreadyDeleted => return answer.map(Answer::into_deleted),
                Verdict::Again(wait) if next.is_some() => wait.length(),
                Verdict::Again(_) | Verdict::Final => return answer.map(Answer::into_response),
            };
            if self.clock.elapsed() + wait >= deadline {
                return answer.map(Answer::into_response);
            }
            self.clock.sleep(wait).await;
            doubt |= outcome.leaves_doubt();
        }
    }

    /// Waits while the service wants no request, unless that would take until the deadline: then its answer says so.
    async fn hold_back(&self, deadline: Duration) {
        loop {
            let now = self.clock.elapsed();
            let until = self.pause.until();
            if until <= now || until >= deadline {
                return;
            }
            self.clock.sleep(until - now).await;
        }
    }

    /// A refused request stops the others of this client too, which would only be refused as well.
    fn pause_after(&self, outcome: &Outcome) {
        if let Outcome::Answered {
            status: StatusCode::TOO_MANY_REQUESTS,
            code: None | Some(ErrorCode::RateLimitExceeded),
            retry_after: Some(wait),
        } = outcome
            && self.policy.max_attempts > 1
        {
            self.pause.extend_to(self.clock.elapsed() + *wait);
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, clock, .. } = self;
        let mut debug = f.debug_struct("Transport");
        debug
            .field("policy", policy)
            .field("clock", clock)
            .finish_non_exhaustive()
    }
}

impl ClientHooks<Transport> for Client {
    async fn pre<E>(&self, request: &mut Request, info: &OperationInfo) -> Result<(), Error<E>> {
        let Some(api_key) = self.inner().api_key.clone() else {
            let message = "the API key holds characters that no header can carry";
            return Err(Error::InvalidRequest(message.to_owned()));
        };
        request.headers_mut().insert(API_KEY, api_key);
        let repeats = self.inner().policy.max_attempts > 1;
        let has_key = request.headers().contains_key(IDEMPOTENCY_KEY);
        if repeats && takes_key(info.operation_id) && !has_key {
            let key = HeaderValue::try_from(uuid::Uuid::new_v4().to_string())?;
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        Ok(())
    }

    async fn exec(&self, request: Request, _: &OperationInfo) -> reqwest::Result<Response> {
        self.inner().send(self.client(), request).await
    }
}

impl Wait {
    fn length(&self) -> Duration {
        match self {
            Wait::Exactly(wait) => *wait,
            Wait::UpTo(bound) => bound.mul_f64(fastrand::f64()),
        }
    }
}

/// Until when no request is wanted, in nanoseconds of the clock.
#[derive(Debug, Default)]
struct Pause(AtomicU64);

impl Pause {
    fn until(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    fn extend_to(&self, until: Duration) {
        let until = u64::try_from(until.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_max(until, Ordering::Relaxed);
    }
}
