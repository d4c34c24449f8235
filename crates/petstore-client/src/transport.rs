//! How requests travel: with the key, again when it makes sense, and not while the service asked for patience.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Client;
use crate::answer::{Answer, foreign_error, outcome};
use crate::clock::{Clock, SystemClock};
use crate::operation_traits::{is_free, takes_key};
use crate::pause::Pause;
use crate::retry::{Repeatability, RetryPolicy, Verdict, Wait, judge};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// What the requests of a client share, and those of its clones.
#[derive(Clone)]
pub struct Transport {
    /// `Err`: why no request can be sent.
    api_key: Result<HeaderValue, String>,
    policy: RetryPolicy,
    clock: Arc<dyn Clock>,
    pause: Arc<Pause>,
    /// A permit for each request that may be under way.
    slots: Arc<Semaphore>,
}

impl Transport {
    pub(crate) fn new(base_url: &str, api_key: &str) -> Self {
        let policy = RetryPolicy::default();
        Self {
            api_key: credentials(base_url, api_key),
            slots: slots(&policy),
            policy,
            clock: Arc::new(SystemClock::default()),
            pause: Arc::default(),
        }
    }

    pub(crate) fn set_policy(&mut self, policy: RetryPolicy) {
        self.slots = slots(&policy);
        self.policy = policy;
    }

    pub(crate) fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
        // What it knows is told in the time of the other clock.
        self.pause = Arc::default();
    }

    /// Sends a request until its answer is final.
    async fn send(
        &self,
        client: &reqwest::Client,
        request: Request,
        info: &OperationInfo,
    ) -> reqwest::Result<Response> {
        let policy = &self.policy;
        let repeatability = Repeatability {
            method: request.method().clone(),
            has_key: request.headers().contains_key(IDEMPOTENCY_KEY),
        };
        let mut turn = self.turn().await;
        let deadline = self.clock.elapsed().saturating_add(policy.deadline);
        let mut request = request;
        let mut attempt = 0;
        let mut doubt = false;
        loop {
            attempt += 1;
            let slot = if is_free(info.operation_id) {
                turn
            } else {
                match self.enter(turn, deadline).await {
                    Ok(slot) => slot,
                    Err(refusal) => return Ok(refusal.into_response()),
                }
            };
            let again = request.try_clone();
            let left = deadline.saturating_sub(self.clock.elapsed());
            *request.timeout_mut() = Some(policy.attempt_timeout.min(left));
            let answer = match client.execute(request).await {
                Ok(response) => Answer::read(response).await,
                Err(error) => Err(error),
            };
            drop(slot);

            let outcome = outcome(&answer);
            let now = self.clock.elapsed();
            if let (Ok(answer), false) = (&answer, policy.is_off()) {
                self.pause.after(answer, &outcome, now);
            }
            let verdict = judge(policy, &repeatability, attempt, doubt, &outcome);
            let (wait, again) = match (verdict, again) {
                (Verdict::AlreadyDeleted, _) => return answer.map(Answer::into_deleted),
                (Verdict::Again(wait), Some(again)) => (wait.length(), again),
                (Verdict::Again(_) | Verdict::Final, _) => {
                    return answer.map(Answer::into_response);
                }
            };
            if now.saturating_add(wait) >= deadline {
                return answer.map(Answer::into_response);
            }
            self.clock.sleep(wait).await;
            turn = self.turn().await;
            if self.clock.elapsed() >= deadline {
                return answer.map(Answer::into_response);
            }
            doubt |= outcome.leaves_doubt();
            request = again;
        }
    }

    /// Waits until fewer requests are under way than may be.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        if self.policy.is_off() {
            return None;
        }
        self.slots.acquire().await.ok()
    }

    /// Waits until the service wants a request. `Err`: what it said to another one, and would only say again.
    async fn enter<'t>(
        &'t self,
        mut turn: Option<SemaphorePermit<'t>>,
        deadline: Duration,
    ) -> Result<Option<SemaphorePermit<'t>>, Answer> {
        while turn.is_some() {
            let now = self.clock.elapsed();
            let Some(refusal) = self.pause.at(now) else {
                break;
            };
            if let Some(answer) = refusal.answer_for(deadline, now) {
                return Err(answer);
            }
            if refusal.until() >= deadline {
                break;
            }
            drop(turn);
            self.clock.sleep(refusal.until() - now).await;
            turn = self.turn().await;
        }
        Ok(turn)
    }
}

/// The key as requests show it. `Err`: why none can be sent.
fn credentials(base_url: &str, api_key: &str) -> Result<HeaderValue, String> {
    check(base_url).map_err(|why| {
        format!("the base URL cannot be used: {why}; it looks like https://pets.example.com")
    })?;
    let mut api_key = HeaderValue::try_from(api_key)
        .map_err(|_| "the API key holds characters that no header can carry")?;
    api_key.set_sensitive(true);
    Ok(api_key)
}

/// Whether paths can follow a base URL. Without a host, the first part of each path would be taken for one, and be shown
/// the key.
fn check(base_url: &str) -> Result<(), String> {
    if base_url.contains(['?', '#']) {
        return Err("it has a query or a fragment, and no path can follow it".to_owned());
    }
    let url = reqwest::Url::parse(&format!("{base_url}/")).map_err(|error| error.to_string())?;
    match url.scheme() {
        "http" | "https" => Ok(()),
        other => Err(format!(
            "it begins with {other}: instead of http: or https:"
        )),
    }
}

fn slots(policy: &RetryPolicy) -> Arc<Semaphore> {
    let slots = policy.max_in_flight.clamp(1, Semaphore::MAX_PERMITS);
    Arc::new(Semaphore::new(slots))
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
        let repeats = !self.inner().policy.is_off();
        let has_key = request.headers().contains_key(IDEMPOTENCY_KEY);
        if repeats && takes_key(info.operation_id) && !has_key {
            let key = HeaderValue::try_from(uuid::Uuid::new_v4().to_string())?;
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        self.inner().send(self.client(), request, info).await
    }

    /// Keeps the headers of an error that is not one of the service's: read as one, it would lose them.
    async fn post<E>(
        &self,
        result: &reqwest::Result<Response>,
        _: &OperationInfo,
    ) -> Result<(), Error<E>> {
        match result.as_ref().ok().and_then(foreign_error) {
            Some(answer) => Err(Error::UnexpectedResponse(answer)),
            None => Ok(()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_for_logs() {
        let key = credentials("https://pets.example.com", "pst_key").expect("a key");
        assert!(key.is_sensitive(), "no log of requests shows it");
    }
}
