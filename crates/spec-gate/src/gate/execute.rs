//! Decodes an admitted request, and dispatches it to the handler of its operation.

use std::time::Duration;

use dropshot::{Body, RequestContext, RequestInfo};
use http::Response;
use http::header::HeaderName;
use serde_json::{Value, json};
use spec_runtime::{
    DecodedBody, DecodedRequest, Decoder, DispatchError, Interface, PathParameters,
};
use sqlite_engine::canonical_body_hash;

use super::body::{MAX_BODY, check_content_coding, limit_body, read_body};
use super::not_modified::Revalidation;
use super::request_body::RequestBody;
use crate::auth::Principal;
use crate::call::Call;
use crate::clock::Time;
use crate::error::{ErrorKind, GateError};
use crate::request_log::RequestLog;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Decodes admitted requests, and dispatches them to the handlers of their operations.
#[derive(Debug)]
pub struct Executor {
    /// Decodes and validates requests.
    pub decoder: Decoder,
    /// How long the body of a request may take to arrive.
    pub body_timeout: Duration,
    /// The largest body that a handler reads itself, in bytes.
    pub max_raw_body: usize,
}

impl Executor {
    /// Decodes a request of the operation with this index, and runs its handler for the sender `principal`, whose
    /// request arrived at `time`.
    pub async fn execute<I: Interface>(
        &self,
        mut rqctx: RequestContext<I::Context>,
        operation: usize,
        path: &PathParameters,
        (principal, time): (Principal, Time),
        RequestBody { body, extensions }: RequestBody,
        log: RequestLog<'_>,
    ) -> Result<Response<Body>, GateError> {
        let (head, decoder) = (&rqctx.request, &self.decoder);
        let headers = head.headers();
        let parameters = decoder.decode_parameters(operation, path, head.uri().query(), headers)?;
        let body = match decoder.expects_body(operation) {
            // Boxed, so that the common case stays small.
            true => Box::pin(self.receive_body(operation, head, body)).await?,
            false => DecodedBody::default(),
        };
        let request = DecodedRequest::new(parameters, body).with_extensions(extensions);
        let idempotency_key = headers.get(IDEMPOTENCY_KEY);
        let revalidation = Revalidation::of_request(rqctx.request.method(), headers);
        let template = I::operations()[operation].path;
        if idempotency_key.is_some()
            && request.is_streamed()
            && decoder.declares_header(operation, IDEMPOTENCY_KEY.as_str())
        {
            return Err(GateError::new(
                ErrorKind::InvalidParameter,
                "header \"Idempotency-Key\" cannot be used with a body that is not read as a whole",
            ));
        }
        let body_hash = idempotency_key.map(|_| {
            let body = request.body_as_json();
            hash_request(template, rqctx.request.uri().path(), &body)
        });
        // The body is limited already; dropshot's own arguments would limit it again.
        rqctx.endpoint.request_body_max_bytes = Some(usize::MAX);
        let call = Call {
            principal,
            time,
            body_hash,
        };
        let result = call.scope(I::dispatch(operation, rqctx, request)).await;
        let result = result.map(|response| revalidation.apply(response));
        result.map_err(|error| match error {
            DispatchError::Rejected(rejection) => GateError::from(rejection),
            DispatchError::NotImplemented => GateError::not_implemented(),
            DispatchError::Internal(error) => GateError::from_http_error(error, log),
        })
    }

    async fn receive_body(
        &self,
        operation: usize,
        head: &RequestInfo,
        body: Body,
    ) -> Result<DecodedBody, GateError> {
        let (decoder, headers) = (&self.decoder, head.headers());
        let media_type = decoder.select_media_type(operation, headers)?;
        check_content_coding(headers)?;
        let declared = decoder.max_body_bytes(operation);
        if let Some(media_type) = media_type.filter(|media_type| media_type.is_streamed()) {
            let limit = declared.unwrap_or(self.max_raw_body);
            let body = limit_body(headers, body, limit, self.body_timeout)?;
            return Ok(decoder.stream_body(operation, media_type, headers, body)?);
        }
        let limit = declared.unwrap_or(MAX_BODY);
        let bytes = read_body(headers, body, limit, self.body_timeout).await?;
        Ok(decoder.decode_body(operation, media_type, &bytes)?)
    }
}

/// Hashes the body of a request that has an idempotency key. Where the path has parameters, the hash covers the path,
/// so that the key of a request for one resource does not replay the response for another.
fn hash_request(template: &str, path: &str, body: &Value) -> [u8; 32] {
    match template.contains('{') {
        true => canonical_body_hash(&json!([path, body])),
        false => canonical_body_hash(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_forward_count_as_long_as_a_response_is_replayed() {
        assert_eq!(crate::clock::FORWARD_PERIOD, sqlite_engine::REPLAY_PERIOD);
    }

    #[test]
    fn hash_covers_the_path_only_if_it_has_parameters() {
        let body = json!({ "rating": 5 });
        let review = |path| hash_request("/pets/{petId}/reviews", path, &body);
        assert_ne!(review("/pets/1/reviews"), review("/pets/2/reviews"));
        let order = hash_request("/store/orders", "/store/orders", &body);
        assert_eq!(order, canonical_body_hash(&body), "as in older databases");
    }
}
