//! A request on its way: retries, and what they end with.

use std::future::Future;

use progenitor_client::OperationInfo;
use reqwest::{Request, Response, StatusCode};
use serde_json::json;
use spec_transport::{Call, OUTCOME_UNKNOWN, Sender, Sent};

use crate::error::Error;
use crate::operation::{Content, Operation, Status};
use crate::summary::Summary;

/// What a client needs to send the request of a call.
#[derive(Debug)]
pub struct Outgoing {
    pub(crate) operation: &'static Operation,
    /// Whether the service is known to be behind the gate: it sends a 503 before any change.
    pub(crate) is_gate: bool,
}

impl Outgoing {
    /// What hooks learn of the operation.
    pub fn info(&self) -> OperationInfo {
        OperationInfo {
            operation_id: self.operation.id,
        }
    }

    /// Sends a request, with retries. `execute` sends it one time. The inner error is that of a client without retries.
    ///
    /// # Errors
    /// There is no response, or it is unknown whether a change was made.
    pub async fn send<F>(
        &self,
        sender: &Sender,
        request: Request,
        execute: impl Fn(Request) -> F,
    ) -> Result<reqwest::Result<Response>, Error>
    where
        F: Future<Output = reqwest::Result<Response>>,
    {
        let operation = self.operation;
        let call = Call {
            operation: operation.id,
            is_free: operation.free,
            streams: operation.streams(),
            is_gate: self.is_gate,
            read_code,
        };
        Ok(Ok(match sender.send(&call, request, execute).await {
            Err(error) => return Ok(Err(error)),
            Ok(Sent::Response(response)) => response,
            Ok(Sent::Deleted(response)) => match operation.empty_success() {
                Some(status) => response.into_success(status),
                None => response.into_response(),
            },
            Ok(Sent::OutcomeUnknown(response)) if self.is_gate => {
                // As the gate itself would report it.
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                let body = json!({
                    "code": "outcome_unknown",
                    "message": OUTCOME_UNKNOWN,
                    "status": status.as_u16(),
                });
                response.into_error(status, body.to_string().into())
            }
            Ok(Sent::OutcomeUnknown(_)) => return Err(Error::GaveUp(OUTCOME_UNKNOWN.to_owned())),
            Ok(Sent::Hopeless(text)) => return Err(Error::InvalidRequest(text)),
            Ok(Sent::Exhausted(text)) => return Err(Error::GaveUp(text)),
        }))
    }
}

impl Operation {
    /// Whether the caller reads what comes after the head of a success.
    fn streams(&self) -> bool {
        self.channel
            || self
                .success
                .iter()
                .any(|form| form.content == Content::Bytes)
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

/// The code of an error, whatever its schema.
pub fn read_code(body: &[u8]) -> Option<String> {
    Summary::new(StatusCode::OK, &Default::default(), body).code
}
