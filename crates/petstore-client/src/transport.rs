//! Sends requests: adds the API key, retries, and waits while the service asks for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Client;
use crate::buffered_response::{BufferedResponse, classify_attempt, copy_foreign_error};
use crate::clock::{Clock, SystemClock};
use crate::operation_traits::{is_free, takes_idempotency_key};
use crate::retry::{Delay, RequestKind, RetryDecision, RetryPolicy, decide_retry};
use crate::shared_backoff::SharedBackoff;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What all requests of a client and its clones share: API key, retry policy, clock, backoff.
#[derive(Clone)]
pub struct Transport {
    /// `Err`: the reason why no request can be sent.
    api_key: Result<HeaderValue, String>,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
    backoff: Arc<SharedBackoff>,
    /// One permit for each request that may be in flight.
    permits: Arc<Semaphore>,
}

impl Transport {
    pub(crate) fn new(base_url: &str, api_key: &str) -> Self {
        let policy = RetryPolicy::default();
        Self {
            api_key: api_key_header(base_url, api_key),
            permits: permits_of(&policy),
            policy,
            clock: Arc::new(SystemClock::default()),
            backoff: Arc::default(),
        }
    }

    pub(crate) fn set_policy(&mut self, policy: RetryPolicy) {
        self.permits = permits_of(&policy);
        self.policy = policy;
    }

    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
        // Recorded times belong to the previous clock.
        self.backoff = Arc::default();
    }

    /// Sends a request, with retries, and returns the final response.
    async fn send(
        &self,
        client: &reqwest::Client,
        mut request: Request,
        info: &OperationInfo,
    ) -> reqwest::Result<Response> {
        let policy = &self.policy;
        let kind = RequestKind {
            method: request.method().clone(),
            has_idempotency_key: request.headers().contains_key(IDEMPOTENCY_KEY),
        };
        let mut permit = self.acquire_permit().await;
        let deadline = self.clock.elapsed().saturating_add(policy.deadline);
        let mut attempt = 0;
        let mut maybe_performed = false;
        loop {
            attempt += 1;
            if !is_free(info.operation_id) {
                permit = match self.wait_for_backoff(permit, deadline).await {
                    Ok(permit) => permit,
                    Err(too_many_requests) => return Ok(too_many_requests.into_response()),
                };
            }
            let copy = request.try_clone();
            let left = deadline.saturating_sub(self.clock.elapsed());
            *request.timeout_mut() = Some(policy.attempt_timeout.min(left));
            let response = match client.execute(request).await {
                Ok(response) => BufferedResponse::read(response).await,
                Err(error) => Err(error),
            };
            drop(permit);

            let outcome = classify_attempt(&response);
            let now = self.clock.elapsed();
            if let (Ok(response), false) = (&response, policy.is_off()) {
                self.backoff.record(response, &outcome, now);
            }
            let decision = decide_retry(policy, &kind, attempt, maybe_performed, &outcome);
            let (delay, copy) = match (decision, copy) {
                (RetryDecision::ReturnDeleted, _) => {
                    return response.map(BufferedResponse::into_deleted);
                }
                (RetryDecision::ReturnOutcomeUnknown, _) => {
                    return response.map(BufferedResponse::into_outcome_unknown);
                }
                (RetryDecision::Retry(delay), Some(copy)) => (delay.duration(), copy),
                (RetryDecision::Retry(_) | RetryDecision::Return, _) => {
                    return response.map(BufferedResponse::into_response);
                }
            };
            if now.saturating_add(delay) >= deadline {
                return response.map(BufferedResponse::into_response);
            }
            self.clock.sleep(delay).await;
            permit = self.acquire_permit().await;
            if self.clock.elapsed() >= deadline {
                return response.map(BufferedResponse::into_response);
            }
            maybe_performed |= outcome.may_have_been_performed();
            request = copy;
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
            self.clock.sleep(recorded.retry_at() - now).await;
            permit = self.acquire_permit().await;
        }
        Ok(permit)
    }
}

/// The value of the header `X-Api-Key`. `Err`: why no request can be sent with this base URL or key.
fn api_key_header(base_url: &str, api_key: &str) -> Result<HeaderValue, String> {
    check_base_url(base_url).map_err(|reason| {
        format!("invalid base URL: {reason}; a valid one is https://pets.example.com")
    })?;
    let mut api_key = HeaderValue::try_from(api_key)
        .map_err(|_| "the API key contains characters that are not allowed in a header")?;
    api_key.set_sensitive(true);
    Ok(api_key)
}

/// Checks that the paths of operations can be appended to a base URL.
///
/// Without a host, the first segment of each path would become the host, and would receive the API key.
fn check_base_url(base_url: &str) -> Result<(), String> {
    if base_url.contains(['?', '#']) {
        return Err("it has a query or a fragment, so no path can be appended".to_owned());
    }
    let url = reqwest::Url::parse(&format!("{base_url}/")).map_err(|error| error.to_string())?;
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(format!("its scheme is {other}: instead of http: or https:")),
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

impl ClientHooks<Transport> for Client {
    async fn pre<E>(&self, request: &mut Request, info: &OperationInfo) -> Result<(), Error<E>> {
        let api_key = self.inner().api_key.clone();
        let api_key = api_key.map_err(Error::InvalidRequest)?;
        request.headers_mut().insert(API_KEY, api_key);
        let retries = !self.inner().policy.is_off();
        let has_key = request.headers().contains_key(IDEMPOTENCY_KEY);
        if retries && takes_idempotency_key(info.operation_id) && !has_key {
            let key = HeaderValue::try_from(uuid::Uuid::new_v4().to_string())?;
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        self.inner().send(self.client(), request, info).await
    }

    /// Hook after each response: an error that is not the service's becomes `UnexpectedResponse`, which has its body.
    async fn post<E>(
        &self,
        result: &reqwest::Result<Response>,
        _: &OperationInfo,
    ) -> Result<(), Error<E>> {
        match result.as_ref().ok().and_then(copy_foreign_error) {
            Some(response) => Err(Error::UnexpectedResponse(response)),
            None => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_api_key_header_as_sensitive() {
        let key = api_key_header("https://pets.example.com", "pst_key").expect("a key");
        assert!(key.is_sensitive(), "request logs do not show it");
    }
}
