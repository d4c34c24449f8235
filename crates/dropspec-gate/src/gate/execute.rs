//! Decodes an admitted request, and dispatches it to the handler of its operation.

use std::sync::Arc;

use dropshot::{Body, ErrorStatusCode, RequestContext, RequestInfo};
use dropspec_runtime::security::Identities;
use dropspec_runtime::{
    ChannelScope, DecodedRequest, DispatchError, IncomingBody, Interface, PathParameters, Permit,
    break_off_at,
};
use dropspec_store::canonical_body_hash;
use http::Response;
use http::header::HeaderName;
use hyper::upgrade::OnUpgrade;
use serde_json::{Value, json};

use super::body::{Exceeded, check_content_coding, limit_body, read_body};
use super::credentials::Credentials;
use super::not_modified::Revalidation;
use super::request_body::{KeptOpen, RequestBody};
use super::state::{Gate, Identity, Service};
use crate::auth::Principal;
use crate::call::Call;
use crate::clock::Time;
use crate::error::{ErrorKind, GateError};
use crate::operation_usage::WITHOUT_KEY;
use crate::request_log::RequestLog;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

impl<S: Service> Gate<S> {
    /// Decodes a request of the operation that `permit` is for, and runs its handler for these senders, whose request
    /// arrived at `time`.
    pub(super) async fn execute(
        &self,
        rqctx: RequestContext<Arc<Gate<S>>>,
        permit: Permit<S::Interface>,
        path: &PathParameters,
        (principals, time): (Identities<Principal<Identity<S>>>, Time),
        RequestBody {
            body,
            mut extensions,
        }: RequestBody,
        log: RequestLog<'_>,
    ) -> Result<Response<Body>, GateError> {
        let (operation, head, decoder) = (permit.operation(), &rqctx.request, &self.decoder);
        let key_id = principals
            .first()
            .map_or(WITHOUT_KEY, |it| it.account.key_id);
        self.usage.count(operation, key_id, time.wall);
        let headers = head.headers();
        let parameters = decoder.decode_parameters(operation, path, head.uri().query(), headers)?;
        let (body, exceeded) = if decoder.expects_body(operation) {
            // Boxed, so that the common case stays small.
            Box::pin(self.receive_body(operation, head, body)).await?
        } else {
            (IncomingBody::default(), None)
        };
        let request = DecodedRequest::new(parameters, body);
        let query = head.uri().query();
        let inputs = decoder.find_deprecated_inputs(operation, query, headers, &request);
        self.usage
            .count_inputs(operation, &inputs, key_id, time.wall);
        // A stream may outlive the key of its reader.
        let reader = principals
            .first()
            .filter(|_| decoder.sends_items(operation));
        let reader = reader.map(|it| Credentials::of(head, Some(operation), it.account.key_id));
        let reader = reader.map(|it| (Arc::clone(rqctx.context()), it));
        let idempotency_key = headers.get(IDEMPOTENCY_KEY);
        let revalidation = Revalidation::of_request(rqctx.request.method(), headers);
        let template = S::Interface::operations()[operation].path;
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
        let call = Call {
            principals,
            time,
            body_hash,
        };
        if extensions.get::<OnUpgrade>().is_some() {
            let kept = extensions.remove();
            extensions.insert(self.channel_scope(call.clone(), kept));
        }
        let request = request.with_extensions(extensions);
        let result = call
            .scope(S::Interface::dispatch(permit, rqctx, request))
            .await;
        let result = result.map(|response| {
            // A stop does not wait for the end of a stream.
            let stopping = self.stopping();
            revalidation.apply(break_off_at(response, || async move {
                match reader {
                    Some((gate, credentials)) => tokio::select! {
                        () = stopping => {}
                        () = credentials.until_invalid(&gate) => {}
                    },
                    None => stopping.await,
                }
            }))
        });
        result.map_err(|error| match error {
            DispatchError::Rejected(rejection) => GateError::from(rejection),
            DispatchError::NotImplemented => GateError::not_implemented(),
            DispatchError::Internal(error) => {
                let exceeded = exceeded.as_ref().and_then(|exceeded| exceeded.get());
                match exceeded.filter(|_| error.status_code == ErrorStatusCode::BAD_REQUEST) {
                    Some(rejection) => GateError::from(rejection.clone()),
                    None => GateError::from_http_error(error, log),
                }
            }
        })
    }

    /// What runs around the handler of a WebSocket: it knows its call, a stop waits for it, and so does the listener.
    fn channel_scope(&self, call: Call<Identity<S>>, kept: Option<KeptOpen>) -> ChannelScope {
        let guard = Arc::new((self.in_flight.enter(), kept));
        ChannelScope::new(move |handler| {
            let guard = Arc::clone(&guard);
            Box::pin(call.clone().scope(async move {
                let result = handler.await;
                drop(guard);
                result
            }))
        })
    }

    async fn receive_body(
        &self,
        operation: usize,
        head: &RequestInfo,
        body: Body,
    ) -> Result<(IncomingBody, Option<Exceeded>), GateError> {
        let (decoder, headers) = (&self.decoder, head.headers());
        let media_type = decoder.select_media_type(operation, headers)?;
        check_content_coding(headers)?;
        let declared = decoder.max_body_bytes(operation);
        if let Some(media_type) = media_type.filter(|media_type| media_type.is_streamed()) {
            let limit = declared.unwrap_or(self.policy.max_raw_body);
            let exceeded = Exceeded::default();
            let body = limit_body(headers, body, limit, self.policy.body_timeout, &exceeded)?;
            let body = decoder.stream_body(operation, media_type, headers, body)?;
            return Ok((body, Some(exceeded)));
        }
        let limit = declared.unwrap_or(self.policy.max_body);
        let bytes = read_body(headers, body, limit, self.policy.body_timeout).await?;
        let body = decoder.decode_body(operation, media_type, &bytes)?;
        Ok((body, None))
    }
}

/// Hashes the body of a request that has an idempotency key. Where the path has parameters, the hash covers the path,
/// so that the key of a request for one resource does not replay the response for another.
fn hash_request(template: &str, path: &str, body: &Value) -> [u8; 32] {
    if template.contains('{') {
        canonical_body_hash(&json!([path, body]))
    } else {
        canonical_body_hash(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_forward_count_as_long_as_a_response_is_replayed() {
        assert_eq!(crate::clock::FORWARD_PERIOD, dropspec_store::REPLAY_PERIOD);
    }

    #[test]
    fn unknown_outcome_has_the_code_of_the_engine() {
        let code = dropspec_store::OUTCOME_UNKNOWN;
        assert_eq!(ErrorKind::OutcomeUnknown.code(), code);
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
