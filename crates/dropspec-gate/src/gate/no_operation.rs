//! Responds to admitted requests that have no operation.

use std::sync::Arc;

use dropshot::{Body, RequestContext};
use dropspec_runtime::Route;
use http::header::ALLOW;
use http::{HeaderValue, Response, StatusCode};

use super::cross_origin::preflight_response;
use super::not_modified::Revalidation;
use super::route::Target;
use super::state::{Gate, Service};
use crate::error::{ErrorKind, GateError};

/// Responds to an admitted request for a target that is no operation and no stream.
pub fn respond<S: Service>(
    target: &Target<'_>,
    rqctx: &RequestContext<Arc<Gate<S>>>,
    wants_html: bool,
) -> Result<Response<Body>, GateError> {
    let (gate, head) = (rqctx.context(), &rqctx.request);
    match target {
        Target::Page(page) => {
            let revalidation = Revalidation::of_request(head.method(), head.headers());
            Ok(revalidation.apply(gate.pages.serve(*page, head.headers())))
        }
        Target::Preflight => Ok(preflight_response()),
        Target::Malformed(message) => Err(GateError::new(ErrorKind::MalformedRequest, *message)),
        Target::Route(Route::Options { allow }) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            Ok(with_allow(response, allow))
        }
        Target::Route(Route::MethodNotAllowed { allow }) => {
            let methods = allow.to_str().unwrap_or_default();
            let method = head.method();
            let message = format!("this path answers to {methods}, not to {method}");
            let error = GateError::new(ErrorKind::MethodNotAllowed, message);
            let response = gate.write_error(error, &rqctx.request_id, wants_html);
            Ok(with_allow(response, allow))
        }
        // One that is found does not come here, and a stream has a sender.
        Target::Tail | Target::Route(Route::NotFound | Route::Found { .. }) => {
            let base = &gate.routes.base_path;
            let message =
                format!("there is nothing at this path; {base}/docs describes what there is");
            Err(GateError::new(ErrorKind::RouteNotFound, message))
        }
    }
}

fn with_allow(mut response: Response<Body>, allow: &HeaderValue) -> Response<Body> {
    response.headers_mut().insert(ALLOW, allow.clone());
    response
}
