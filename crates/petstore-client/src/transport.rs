//! Sends requests: retries, and waits while the service asks for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use progenitor_client::OperationInfo;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use tracing::Span;

use crate::buffered_response::{BufferedResponse, classify_attempt};
use crate::clock::{Clock, SystemClock};
use crate::exchange::{Exchange, ExchangeObserver};
use crate::no_response::{GaveUp, NoResponse, describe_exhausted, root_cause};
use crate::operation_traits::is_free;
use crate::retry::{AttemptOutcome, Delay, RequestKind, RetryDecision, RetryPolicy, decide_retry};
use crate::retry_event::{Observer, RetryEvent};
use crate::shared_backoff::SharedBackoff;

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What all requests of a client and its clones share: API key, retry policy, clock, backoff.
#[derive(Clone)]
pub struct Transport {
    /// `Err`: the reason why no request can be sent.
    api_key: Result<HeaderValue, String>,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
    observer: Option<Observer>,
    exchange_observer: Option<ExchangeObserver>,
    backoff: Arc<SharedBackoff>,
    /// One permit for each request that may be in flight.
    permits: Arc<Semaphore>,
}

impl Transport {
    pub(crate) fn new(api_key: Result<HeaderValue, String>) -> Self {
        let policy = RetryPolicy::default();
        Self {
            api_key,
            permits: permits_of(&policy),
            policy,
            clock: Arc::new(SystemClock::default()),
            observer: None,
            exchange_observer: None,
            backoff: Arc::default(),
        }
    }

    /// The reason why no request can be sent, if there is one.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.api_key.as_ref().err().map(String::as_str)
    }

    pub(crate) fn set_policy(&mut self, policy: RetryPolicy) {
        // A policy for one call must not let it send beside all others.
        if policy.max_in_flight != self.policy.max_in_flight {
            self.permits = permits_of(&policy);
        }
        self.policy = policy;
    }

    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
        // Recorded times belong to the previous clock.
        self.backoff = Arc::default();
    }

    pub(crate) fn set_observer(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    pub(crate) fn set_exchange_observer(&mut self, observer: ExchangeObserver) {
        self.exchange_observer = Some(observer);
    }

    /// The header with the API key. `Err`: why it cannot be sent.
    pub(crate) fn api_key(&self) -> Result<HeaderValue, String> {
        self.api_key.clone()
    }

    /// Whether requests may be sent again.
    pub(crate) fn retries(&self) -> bool {
        !self.policy.is_off()
    }

    /// Sends a request, with retries, and returns the final response, or what [`GaveUp`] makes of it.
    pub(crate) async fn send(
        &self,
        client: &reqwest::Client,
        mut request: Request,
        info: &OperationInfo,
        span: &Span,
    ) -> reqwest::Result<Response> {
        let policy = &self.policy;
        let operation = info.operation_id;
        let url = request.url().clone();
        let kind = RequestKind {
            method: request.method().clone(),
            has_idempotency_key: request.headers().contains_key(IDEMPOTENCY_KEY),
        };
        let mut permit = self.acquire_permit().await;
        let start = self.clock.elapsed();
        let deadline = start.saturating_add(policy.deadline);
        let mut unconnected_since = None;
        let mut attempt = 0;
        let mut maybe_performed = false;
        loop {
            if !is_free(operation) {
                permit = match self
                    .wait_for_backoff(permit, deadline, operation, attempt)
                    .await
                {
                    Ok(permit) => permit,
                    Err(too_many_requests) => return Ok(too_many_requests.into_response()),
                };
            }
            attempt += 1;
            span.record("attempts", attempt);
            let copy = request.try_clone();
            let left = deadline.saturating_sub(self.clock.elapsed());
            *request.timeout_mut() = Some(policy.attempt_timeout.min(left));
            let sent_at = self.clock.elapsed();
            let response = match client.execute(request).await {
                Ok(response) => BufferedResponse::read(response).await,
                Err(error) => Err(error),
            };
            drop(permit);

            let outcome = classify_attempt(&response, &url);
            let now = self.clock.elapsed();
            if let (Some(observer), Some(request)) = (&self.exchange_observer, &copy) {
                observer(&Exchange {
                    operation,
                    attempt,
                    request,
                    response: match &response {
                        Ok(response) => Ok(response.head()),
                        Err(error) => Err(root_cause(error)),
                    },
                    duration: now.saturating_sub(sent_at),
                });
            }
            // A 429 of an operation that costs nothing concerns only such operations.
            if let (Ok(response), false) = (&response, policy.is_off() || is_free(operation)) {
                self.backoff.record(response, &outcome, now);
            }
            let decision = decide_retry(policy, &kind, attempt, maybe_performed, &outcome);
            maybe_performed |= outcome.may_have_been_performed();
            let retry_until = match outcome {
                AttemptOutcome::NoResponse(NoResponse::NotSent) => {
                    let since = *unconnected_since.get_or_insert(now);
                    deadline.min(since.saturating_add(policy.connect_deadline))
                }
                _ => {
                    unconnected_since = None;
                    deadline
                }
            };
            let delay = match decision {
                RetryDecision::ReturnDeleted => {
                    return response.map(BufferedResponse::into_deleted);
                }
                RetryDecision::ReturnOutcomeUnknown => {
                    return response.map(BufferedResponse::into_outcome_unknown);
                }
                RetryDecision::Return => None,
                RetryDecision::Retry(delay) => Some(delay.duration()),
            };
            if let (Some(delay), Some(copy)) = (delay, copy)
                && now.saturating_add(delay) < retry_until
            {
                let reason = match &response {
                    Ok(response) => response.summary(),
                    Err(error) => root_cause(error),
                };
                self.observe(operation, attempt, delay, reason);
                self.clock.sleep(delay).await;
                permit = self.acquire_permit().await;
                if self.clock.elapsed() < deadline {
                    request = copy;
                    continue;
                }
            }
            return match (response, outcome) {
                (Ok(response), _) => Ok(response.into_response()),
                (Err(_), AttemptOutcome::NoResponse(NoResponse::Hopeless(problem))) => {
                    Ok(GaveUp::Hopeless(problem).into_response())
                }
                (Err(error), _) if policy.is_off() => Err(error),
                (Err(error), _) => {
                    let elapsed = self.clock.elapsed().saturating_sub(start);
                    let text = describe_exhausted(
                        &error,
                        &kind.method,
                        &url,
                        attempt,
                        elapsed,
                        maybe_performed,
                    );
                    Ok(GaveUp::Exhausted(text).into_response())
                }
            };
        }
    }

    /// Records that a call waits, and tells the observer, if there is one.
    fn observe(&self, operation: &'static str, attempts: u32, delay: Duration, reason: String) {
        tracing::info!(attempts, ?delay, reason, "waiting before the next attempt");
        if let Some(observer) = &self.observer {
            observer(&RetryEvent {
                operation,
                attempts,
                reason,
                delay,
            });
        }
    }

    /// Waits until fewer than `max_in_flight` requests are in flight, and takes a permit. `None` if retries are off.
    async fn acquire_permit(&self) -> Option<SemaphorePermit<'_>> {
        if self.policy.is_off() {
            return None;
        }
        self.permits.acquire().await.ok()
    }

    /// Waits until calls may be sent again after the last 429. Gives the permit back while it waits.
    ///
    /// `Err`: the response of that 429, for a call that must not be sent.
    async fn wait_for_backoff<'t>(
        &'t self,
        mut permit: Option<SemaphorePermit<'t>>,
        deadline: Duration,
        operation: &'static str,
        attempts: u32,
    ) -> Result<Option<SemaphorePermit<'t>>, BufferedResponse> {
        while permit.is_some() {
            let now = self.clock.elapsed();
            let Some(recorded) = self.backoff.active_at(now) else {
                break;
            };
            if let Some(response) = recorded.response_for(deadline, now) {
                return Err(response);
            }
            drop(permit);
            let delay = recorded.retry_at() - now;
            self.observe(operation, attempts, delay, recorded.summary());
            self.clock.sleep(delay).await;
            permit = self.acquire_permit().await;
        }
        Ok(permit)
    }
}

fn permits_of(policy: &RetryPolicy) -> Arc<Semaphore> {
    let permits = policy.max_in_flight.clamp(1, Semaphore::MAX_PERMITS);
    Arc::new(Semaphore::new(permits))
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

impl Delay {
    fn duration(&self) -> Duration {
        match self {
            Delay::Exactly(delay) => *delay,
            Delay::RandomUpTo(maximum) => maximum.mul_f64(fastrand::f64()),
        }
    }
}
