//! What the generated requests call: adds the API key and the idempotency key, sends in a span of `tracing`, and reports the
//! end of a call without a response.

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::header::HeaderName;
use reqwest::{Request, Response};
use spec_transport::{IDEMPOTENCY_KEY, insert_trace_context, new_idempotency_key, root_cause};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::gave_up::GaveUp;
use crate::operation_traits::takes_idempotency_key;
use crate::service_error::copy_foreign_error;
use crate::{Client, Transport};

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

impl ClientHooks<Transport> for Client {
    async fn pre<E>(&self, request: &mut Request, info: &OperationInfo) -> Result<(), Error<E>> {
        let api_key = self.inner().api_key().map_err(Error::InvalidRequest)?;
        request.headers_mut().insert(API_KEY, api_key);
        insert_trace_context(request.headers_mut());
        let retries = self.inner().sender.retries();
        let has_key = request.headers().contains_key(IDEMPOTENCY_KEY);
        if retries && takes_idempotency_key(info.operation_id) && !has_key {
            let key = new_idempotency_key();
            request.headers_mut().insert(IDEMPOTENCY_KEY, key);
        }
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let span = call_span(info.operation_id, &request);
        let sent = self.inner().send(self.client(), request, info, &span);
        let result = sent.instrument(span.clone()).await;
        record_result(&span, &result);
        result
    }

    /// Hook after each response: the end of a call without one becomes its error, and an error that is not the service's
    /// `UnexpectedResponse`, which has its body.
    async fn post<E>(
        &self,
        result: &reqwest::Result<Response>,
        _: &OperationInfo,
    ) -> Result<(), Error<E>> {
        let Ok(response) = result else {
            return Ok(());
        };
        if let Some(error) = GaveUp::find(response) {
            return Err(error);
        }
        match copy_foreign_error(response) {
            Some(response) => Err(Error::UnexpectedResponse(response)),
            None => Ok(()),
        }
    }
}

/// The span of a call with all of its attempts and waits. It has neither the query nor the API key.
fn call_span(operation: &'static str, request: &Request) -> Span {
    tracing::info_span!(
        "petstore_call",
        operation,
        method = %request.method(),
        host = request.url().host_str(),
        path = request.url().path(),
        attempts = Empty,
        status = Empty,
        request_id = Empty,
        error = Empty,
    )
}

/// Records in the span of a call how it ended.
fn record_result(span: &Span, result: &reqwest::Result<Response>) {
    let error = match result {
        Err(error) => Some(root_cause(error)),
        Ok(response) => match GaveUp::find::<()>(response) {
            Some(Error::InvalidRequest(text) | Error::Custom(text)) => Some(text),
            _ => {
                span.record("status", response.status().as_u16());
                let id = response.headers().get("x-request-id");
                span.record("request_id", id.and_then(|id| id.to_str().ok()));
                None
            }
        },
    };
    span.record("error", error);
}
