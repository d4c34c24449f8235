//! The span of `tracing` of a call with all of its attempts and waits, until the last response.

use reqwest::{Request, Response};
use tracing::Span;
use tracing::field::Empty;

/// The span of a call. It has neither the query nor credentials.
pub(crate) fn call_span(operation: &'static str, request: &Request) -> Span {
    tracing::info_span!(
        "call",
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

/// Records in the span of a call that it has a response.
pub(crate) fn record_response(span: &Span, response: &Response) {
    span.record("status", response.status().as_u16());
    let id = response.headers().get("x-request-id");
    span.record("request_id", id.and_then(|id| id.to_str().ok()));
}

/// Records in the span of a call that it has none.
pub(crate) fn record_error(span: &Span, error: &impl ToString) {
    span.record("error", error.to_string());
}
