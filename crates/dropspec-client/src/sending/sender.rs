//! Sends requests: retries, and waits while the service asks for it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Body, Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use tracing::Span;

use crate::sending::buffered_response::{BufferedResponse, classify_attempt, is_error};
use crate::sending::call::{Call, Sent};
use crate::sending::clock::{Clock, SystemClock};
use crate::sending::no_response::{NoResponse, describe_exhausted, root_cause};
use crate::sending::observer::{Exchange, ExchangeObserver, Observer, RetryEvent};
use crate::sending::retry::{
    AttemptOutcome, RequestKind, RetryDecision, RetryPolicy, decide_retry,
};
use crate::sending::shared_backoff::SharedBackoff;

/// What all requests of a client and its clones share: retry policy, clock, backoff.
#[derive(Clone)]
pub struct Sender {
    policy: RetryPolicy,
    /// In place of the policy's.
    attempt_timeout: Option<Duration>,
    clock: Arc<dyn Clock>,
    observer: Option<Observer>,
    exchange_observer: Option<ExchangeObserver>,
    backoff: Arc<SharedBackoff>,
    /// One permit for each request that may be in flight.
    permits: Arc<Semaphore>,
}

impl Default for Sender {
    fn default() -> Self {
        let policy = RetryPolicy::default();
        Self {
            permits: permits_of(&policy),
            policy,
            attempt_timeout: None,
            clock: Arc::new(SystemClock::default()),
            observer: None,
            exchange_observer: None,
            backoff: Arc::default(),
        }
    }
}

impl Sender {
    /// The policy and the clock.
    pub fn settings(&self) -> (&RetryPolicy, &dyn Clock) {
        (&self.policy, &*self.clock)
    }

    /// Sets the retry policy. The limit of requests in flight stays shared with clones if it is the same.
    pub fn set_policy(&mut self, policy: RetryPolicy) {
        // A policy for one call must not let it send beside all others.
        if policy.max_in_flight != self.policy.max_in_flight {
            self.permits = permits_of(&policy);
        }
        self.policy = policy;
    }

    /// Sets the maximum duration of one attempt, whatever the policy says. A call may take as long.
    pub fn set_attempt_timeout(&mut self, timeout: Duration) {
        self.attempt_timeout = Some(timeout);
    }

    /// Sets the clock that measures deadlines and waits.
    pub fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
        self.forget_backoff();
    }

    /// Forgets the last 429, which concerned other credentials, or has its time from another clock.
    pub fn forget_backoff(&mut self) {
        self.backoff = Arc::default();
    }

    /// Sets the function that is called before each wait.
    pub fn set_observer(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    /// Sets the function that sees each attempt.
    pub fn set_exchange_observer(&mut self, observer: ExchangeObserver) {
        self.exchange_observer = Some(observer);
    }

    /// Whether requests may be sent again.
    pub fn retries(&self) -> bool {
        !self.policy.is_off()
    }

    /// Sends a request, with retries. `execute` sends it one time.
    ///
    /// # Errors
    /// There is no response, and retries are off.
    pub async fn send<F>(
        &self,
        call: &Call,
        mut request: Request,
        execute: impl Fn(Request) -> F,
    ) -> reqwest::Result<Sent>
    where
        F: Future<Output = reqwest::Result<Response>>,
    {
        let policy = &self.policy;
        let url = request.url().clone();
        let kind = RequestKind::of(&request, call.is_gate);
        let mut permit = self.acquire_permit().await;
        let start = self.clock.elapsed();
        let attempt_timeout = self.attempt_timeout.unwrap_or(policy.attempt_timeout);
        let deadline = policy
            .deadline
            .max(self.attempt_timeout.unwrap_or_default());
        let deadline = start.saturating_add(deadline);
        let mut unconnected_since = None;
        let mut attempt = 0;
        let mut maybe_performed = false;
        loop {
            if !call.is_free {
                permit = match self.wait_for_backoff(permit, deadline, call, attempt).await {
                    Ok(permit) => permit,
                    Err(too_many_requests) => {
                        return Ok(Sent::Response(too_many_requests.into_response()));
                    }
                };
            }
            attempt += 1;
            Span::current().record("attempts", attempt);
            let copy = request.try_clone();
            let left = deadline.saturating_sub(self.clock.elapsed());
            if !call.streams_response && !has_stream(&request) {
                *request.timeout_mut() = Some(attempt_timeout.min(left));
            }
            let sent_at = self.clock.elapsed();
            let observe_exchange = |response: Result<_, &reqwest::Error>| {
                if let (Some(observer), Some(request)) = (&self.exchange_observer, &copy) {
                    observer(&Exchange {
                        operation: call.operation,
                        attempt,
                        request,
                        response: response.map_err(root_cause),
                        duration: self.clock.elapsed().saturating_sub(sent_at),
                    });
                }
            };
            let response = match execute(request).await {
                Ok(response) if call.streams_response && !is_error(&response) => {
                    observe_exchange(Ok((response.status(), response.headers())));
                    return Ok(Sent::Response(response));
                }
                Ok(response) => {
                    let read_code = |status, body: &[u8]| call.code_of(status, body);
                    BufferedResponse::read(response, read_code).await
                }
                Err(error) => Err(error),
            };
            drop(permit);

            let outcome = classify_attempt(&response, &url);
            let now = self.clock.elapsed();
            observe_exchange(response.as_ref().map(BufferedResponse::head));
            // A 429 of an operation that costs nothing concerns only such operations.
            if let (Ok(response), false) = (&response, policy.is_off() || call.is_free) {
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
                RetryDecision::ReturnDeleted => return response.map(Sent::Deleted),
                RetryDecision::ReturnOutcomeUnknown => return response.map(Sent::OutcomeUnknown),
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
                self.observe(call, attempt, delay, reason);
                self.clock.sleep(delay).await;
                permit = self.acquire_permit().await;
                if self.clock.elapsed() < deadline {
                    request = copy;
                    continue;
                }
            }
            return match (response, outcome) {
                (Ok(response), _) => Ok(Sent::Response(response.into_response())),
                (Err(_), AttemptOutcome::NoResponse(NoResponse::Hopeless(problem))) => {
                    Ok(Sent::Hopeless(problem))
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
                    Ok(Sent::Exhausted(text))
                }
            };
        }
    }

    /// Logs that a call waits, and tells the observer, if there is one.
    pub(crate) fn observe(&self, call: &Call, attempts: u32, delay: Duration, reason: String) {
        let event = RetryEvent {
            operation: call.operation,
            attempts,
            reason,
            delay,
        };
        let reason = &event.reason;
        tracing::info!(attempts, ?delay, reason, "waiting before the next attempt");
        if let Some(observer) = &self.observer {
            observer(&event);
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
        call: &Call,
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
            self.observe(call, attempts, delay, recorded.summary());
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

/// Whether the body of a request is sent while it is made: it is sent once, and takes as long as it takes.
fn has_stream(request: &Request) -> bool {
    let body = request.body();
    body.is_some_and(|body: &Body| body.as_bytes().is_none())
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, clock, .. } = self;
        f.debug_struct("Sender")
            .field("policy", policy)
            .field("clock", clock)
            .finish_non_exhaustive()
    }
}
