//! A request on its way: retries, what they end with, and the span of `tracing` of the call with all of its attempts and waits.

use std::future::Future;

use progenitor_client::OperationInfo;
use reqwest::{Request, Response, StatusCode};
use serde_json::json;
use tracing::Span;
use tracing::field::Empty;

use crate::error::Error;
use crate::item_stream::Break;
use crate::operation::{Content, Operation, Status};
use crate::sending::{Call, OUTCOME_UNKNOWN, Sender, Sent};

/// What a client needs to send the request of a call.
#[derive(Debug)]
pub struct Outgoing {
    operation: &'static Operation,
    /// The span of the call, until the last response. It has neither the query nor credentials.
    pub(crate) span: Span,
    /// Whether the service is known to be behind the gate: it sends a 503 before any change.
    is_gate: bool,
    /// Why the request is sent again, if it is that of a stream.
    pub(crate) broken: Option<Break>,
}

impl Outgoing {
    pub(crate) fn begin(operation: &'static Operation, is_gate: bool, request: &Request) -> Self {
        let span = tracing::info_span!(
            "call",
            operation = operation.id,
            method = %request.method(),
            host = request.url().host_str(),
            path = request.url().path(),
            attempts = Empty,
            status = Empty,
            request_id = Empty,
            error = Empty,
        );
        Self {
            operation,
            span,
            is_gate,
            broken: None,
        }
    }

    /// Records the end of the call in its span.
    pub(crate) fn end(&self, result: &Result<Response, Error>) {
        match result {
            Ok(response) => {
                self.span.record("status", response.status().as_u16());
                let id = response.headers().get("x-request-id");
                let id = id.and_then(|id| id.to_str().ok());
                self.span.record("request_id", id);
            }
            Err(error) => {
                self.span.record("error", error.to_string());
            }
        }
    }

    /// What hooks learn of the operation.
    pub fn info(&self) -> OperationInfo {
        OperationInfo {
            operation_id: self.operation.id,
        }
    }

    /// Sends a request, with retries. `execute` sends it one time.
    ///
    /// # Errors
    /// There is no response, or it is unknown whether a change was made.
    pub async fn send<F>(
        &self,
        sender: &Sender,
        request: Request,
        execute: impl Fn(Request) -> F,
    ) -> Result<Response, Error>
    where
        F: Future<Output = reqwest::Result<Response>>,
    {
        let operation = self.operation;
        let call = Call {
            operation: operation.id,
            is_free: operation.free,
            streams_response: operation.streams_response(),
            is_gate: self.is_gate,
        };
        if let Some(Break {
            breaks,
            reason,
            wait,
            ..
        }) = &self.broken
        {
            let waited = sender.wait_after_break(&call, &request, *breaks, *wait, reason);
            waited.await.map_err(Error::GaveUp)?;
        }
        match sender.send(&call, request, execute).await? {
            Sent::Response(response) => Ok(response),
            Sent::Deleted(response) => Ok(match operation.empty_success() {
                Some(status) => response.into_success(status),
                None => response.into_response(),
            }),
            Sent::OutcomeUnknown(response) if self.is_gate => {
                // As the gate itself would report it.
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                let body = json!({
                    "code": "outcome_unknown",
                    "message": OUTCOME_UNKNOWN,
                    "status": status.as_u16(),
                });
                Ok(response.into_error(status, body.to_string().into()))
            }
            Sent::OutcomeUnknown(_) => Err(Error::GaveUp(OUTCOME_UNKNOWN.to_owned())),
            Sent::Hopeless(text) => Err(Error::InvalidRequest(text)),
            Sent::Exhausted(text) => Err(Error::GaveUp(text)),
        }
    }
}

impl Operation {
    /// Whether the caller reads what comes after the head of a success.
    fn streams_response(&self) -> bool {
        self.channel
            || self
                .success
                .iter()
                .any(|form| matches!(form.content, Content::Bytes | Content::Items))
    }

    /// The status of a success without a body.
    fn empty_success(&self) -> Option<StatusCode> {
        let mut forms = self.success.iter();
        let form = forms.find(|form| form.content == Content::Empty)?;
        match form.status {
            Status::Exact(status) => StatusCode::from_u16(status).ok(),
            Status::Class(_) | Status::Default => Some(StatusCode::NO_CONTENT),
        }
    }
}
