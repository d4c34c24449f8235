//! Decodes a request that may go on, runs its operation, and answers with what
//! that gives.

use std::sync::Arc;

use dropshot::{Body, RequestContext};
use http::header::HeaderName;
use http::{HeaderMap, Response};
use petstore_api::types::Error;
use petstore_api::{Operation, PetstoreInterface};
use serde_json::Value;
use spec_runtime::{DecodedRequest, DispatchError, Interface, PathParameters};

use super::body;
use crate::api::PetstoreImpl;
use crate::auth::Caller;
use crate::call::Call;
use crate::error;
use crate::service::Service;
use crate::store::canonical_body_hash;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Runs an operation for a caller.
pub async fn operate(
    service: &Service,
    rqctx: RequestContext<Arc<Service>>,
    operation: Operation,
    path: &PathParameters,
    caller: Caller,
    request: http::Request<Body>,
) -> Result<Response<Body>, Error> {
    let request = decode(service, operation, path, request).await?;
    let headers = rqctx.request.headers();
    let call = Call {
        caller,
        body: digest(headers, request.body_value()),
    };
    let log = service.log_of(&rqctx.request_id);
    let outcome = call
        .scope(PetstoreInterface::<PetstoreImpl>::dispatch(
            operation as usize,
            rqctx,
            request,
        ))
        .await;
    outcome.map_err(|failure| match failure {
        DispatchError::Rejected(rejection) => error::of_rejection(&rejection),
        DispatchError::Internal(failure) => {
            slog::error!(log, "an answer could not be written"; "error" => %failure.internal_message);
            error::internal()
        }
    })
}

async fn decode(
    service: &Service,
    operation: Operation,
    path: &PathParameters,
    request: http::Request<Body>,
) -> Result<DecodedRequest, Error> {
    let rejected = |rejection| error::of_rejection(&rejection);
    let decoder = &service.gate.decoder;
    let index = operation as usize;
    let (head, body) = request.into_parts();
    let parameters = decoder
        .decode_parameters(index, path, head.uri.query(), &head.headers)
        .map_err(rejected)?;
    if !decoder.expects_body(index) {
        return Ok(DecodedRequest::new(parameters, None));
    }
    let media_type = decoder
        .select_media_type(index, &head.headers)
        .map_err(rejected)?;
    let bytes = body::read(&head.headers, body, service.body_timeout).await?;
    let body = decoder
        .decode_body(index, media_type, &bytes)
        .map_err(rejected)?;
    Ok(DecodedRequest::new(parameters, body))
}

/// The hash of the body, for the calls that may need it.
fn digest(headers: &HeaderMap, body: Option<&Value>) -> Option<[u8; 32]> {
    headers
        .get(IDEMPOTENCY_KEY)
        .and(body)
        .map(canonical_body_hash)
}
