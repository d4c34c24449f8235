//! What the requests of the petstore need beside their retries: the API key, and what errors of the service say.

use std::fmt;

use http::StatusCode;
use progenitor_client::OperationInfo;
use reqwest::header::HeaderValue;
use reqwest::{Request, Response};
use spec_transport::{Call, OUTCOME_UNKNOWN, Reading, RetryEvent, Sender, Sent, Unavailable};
use tracing::Span;

use crate::gave_up::GaveUp;
use crate::operation_traits::is_free;
use crate::{ErrorCode, types};

/// What all requests of a client and its clones share: API key, retry policy, clock, backoff.
#[derive(Clone)]
pub struct Transport {
    /// `Err`: the reason why no request can be sent.
    api_key: Result<HeaderValue, String>,
    pub(crate) sender: Sender,
}

impl Transport {
    pub(crate) fn new(api_key: Result<HeaderValue, String>) -> Self {
        Self {
            api_key,
            sender: Sender::default(),
        }
    }

    /// The reason why no request can be sent, if there is one.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.api_key.as_ref().err().map(String::as_str)
    }

    /// The header with the API key. `Err`: why it cannot be sent.
    pub(crate) fn api_key(&self) -> Result<HeaderValue, String> {
        self.api_key.clone()
    }

    /// Sends a request, with retries, and returns the final response, or what [`GaveUp`] makes of it.
    pub(crate) async fn send(
        &self,
        client: &reqwest::Client,
        request: Request,
        info: &OperationInfo,
        span: &Span,
    ) -> reqwest::Result<Response> {
        let call = Call {
            operation: info.operation_id,
            is_free: is_free(info.operation_id),
            reading: Reading::All,
            unavailable: Unavailable::SendAgain,
            read_code,
            span,
            log,
        };
        let sent = self.sender.send(&call, request, |it| client.execute(it));
        Ok(match sent.await? {
            Sent::Response(response) => response,
            Sent::Deleted(response) => response.into_success(StatusCode::NO_CONTENT),
            Sent::OutcomeUnknown(response) => {
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                // As the service itself would report it.
                let error = types::Error {
                    code: ErrorCode::OutcomeUnknown.to_string(),
                    message: OUTCOME_UNKNOWN.to_owned(),
                    status: status.as_u16().into(),
                };
                let body = serde_json::to_vec(&error).expect("an error is JSON");
                response.into_error(status, body.into())
            }
            Sent::Hopeless(text) => GaveUp::Hopeless(text).into_response(),
            Sent::Exhausted(text) => GaveUp::Exhausted(text).into_response(),
        })
    }
}

/// The code in the body of an error.
fn read_code(_: StatusCode, body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body.get("code")?.as_str().map(str::to_owned)
}

fn log(event: &RetryEvent) {
    let RetryEvent {
        attempts,
        reason,
        delay,
        ..
    } = event;
    tracing::info!(attempts, ?delay, reason, "waiting before the next attempt");
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (policy, clock) = self.sender.settings();
        let mut debug = f.debug_struct("Transport");
        debug
            .field("policy", policy)
            .field("clock", &clock)
            .finish_non_exhaustive()
    }
}
