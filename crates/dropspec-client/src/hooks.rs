//! What the hooks of a client by progenitor do: its calls get credentials, idempotency keys, retries, spans and errors as those
//! of our own clients.

use progenitor_client::{Error, OperationInfo};
use reqwest::{Client, Request, Response};
use tracing::Instrument;

use crate::call::describe_missing;
use crate::credentials::Credentials;
use crate::error;
use crate::error::redact;
use crate::operation::Operation;
use crate::outgoing::Outgoing;
use crate::sending::{
    BufferedResponse, IDEMPOTENCY_KEY, Sender, body_of, insert_trace_context, new_idempotency_key,
};
use crate::settings::Settings;

/// The inner type of a client by progenitor. The client implements [`ClientHooks`](crate::ClientHooks) by its methods.
#[derive(Clone, Debug)]
pub struct Hooks {
    /// How requests are sent.
    pub sender: Sender,
    credentials: Credentials,
    operations: &'static [Operation],
}

impl Hooks {
    /// The hooks of a client with these settings, for the operations of its document. Its service is behind the gate.
    pub fn new(settings: Settings, operations: &'static [Operation]) -> Self {
        Self {
            sender: settings.sender,
            credentials: settings.credentials,
            operations,
        }
    }

    fn find(&self, info: &OperationInfo) -> Result<&'static Operation, String> {
        let mut operations = self.operations.iter();
        let found = operations.find(|operation| operation.id == info.operation_id);
        found.ok_or_else(|| format!("`{}` is not in the table of operations", info.operation_id))
    }

    /// Completes a request: credentials, idempotency key and trace context.
    ///
    /// # Errors
    /// The client has not all credentials of the operation, or they cannot be sent.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error that progenitor's hooks return"
    )]
    pub fn pre<E>(&self, request: &mut Request, info: &OperationInfo) -> Result<(), Error<E>> {
        self.complete(request, info).map_err(Error::InvalidRequest)
    }

    fn complete(&self, request: &mut Request, info: &OperationInfo) -> Result<(), String> {
        let operation = self.find(info)?;
        match self.credentials.choose(operation.security) {
            Some(chosen) => chosen.apply(request)?,
            None if self.credentials.is_empty() || operation.security.is_empty() => {}
            None => return Err(describe_missing(&self.credentials, operation, &[])),
        }
        let takes_key = operation.has_header(IDEMPOTENCY_KEY.as_str());
        if takes_key && self.sender.retries() && !request.headers().contains_key(IDEMPOTENCY_KEY) {
            let key = new_idempotency_key();
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        insert_trace_context(request.headers_mut());
        Ok(())
    }

    /// Sends a request, with retries, in a span. The end of a call without a response becomes an empty response that
    /// [`Self::post`] recognizes.
    ///
    /// # Errors
    /// There is no response, and retries are off.
    pub async fn exec(
        &self,
        client: &Client,
        request: Request,
        info: &OperationInfo,
    ) -> reqwest::Result<Response> {
        let operation = match self.find(info) {
            Ok(operation) => operation,
            Err(text) => return Ok(NoResponse::Invalid(text).into_response()),
        };
        let outgoing = Outgoing::begin(operation, true, &request);
        let sent = outgoing.send(&self.sender, request, |request| client.execute(request));
        let result = sent.instrument(outgoing.span.clone()).await.map_err(redact);
        outgoing.end(&result);
        let error = match result {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        let end = match error {
            error::Error::CommunicationError(error) | error::Error::ResponseBodyError(error) => {
                return Err(error);
            }
            error::Error::InvalidRequest(text) => NoResponse::Invalid(text),
            other => NoResponse::GaveUp(other.to_string()),
        };
        Ok(end.into_response())
    }

    /// Checks the result of [`Self::exec`].
    ///
    /// # Errors
    /// The call ended without a response, or its response is an error that the service has not sent, such as a proxy's page.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error that progenitor's hooks return"
    )]
    pub fn post<E>(&self, result: &reqwest::Result<Response>) -> Result<(), Error<E>> {
        let Ok(response) = result else {
            return Ok(());
        };
        match response.extensions().get() {
            Some(NoResponse::Invalid(text)) => return Err(Error::InvalidRequest(text.clone())),
            Some(NoResponse::GaveUp(text)) => return Err(Error::Custom(text.clone())),
            None => {}
        }
        let status = response.status();
        let is_error = status.is_client_error() || status.is_server_error();
        let is_foreign = body_of(response).is_some_and(|body| !is_gate_error(body));
        match BufferedResponse::copy(response) {
            Some(copy) if is_error && is_foreign => {
                Err(Error::UnexpectedResponse(copy.into_response()))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a body is an error of the gate.
fn is_gate_error(body: &[u8]) -> bool {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body["code"].is_string() && body["message"].is_string()
}

/// Why a call has no response, on its way from one hook to the next: `reqwest::Error` has no place for it.
#[derive(Clone, Debug)]
enum NoResponse {
    Invalid(String),
    GaveUp(String),
}

impl NoResponse {
    fn into_response(self) -> Response {
        let mut response = http::Response::new("");
        response.extensions_mut().insert(self);
        Response::from(response)
    }
}
