//! The endpoints of the public listener: for every method one that matches every path.

use std::sync::Arc;

use dropshot::{ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, HttpError, RequestContext};
use futures::FutureExt;
use futures::future::Either;
use http::Response;
use spec_runtime::Method;

use super::request_body::RequestBody;
use super::serve::serve;
use super::state::{Gate, Service};

/// Describes the public listener for dropshot: for every registered HTTP method one endpoint that matches every path, so that even
/// a rare one gets the gate's 405 instead of dropshot's.
///
/// # Errors
///
/// If dropshot refuses the registration.
pub fn describe_endpoints<S: Service>() -> anyhow::Result<ApiDescription<Arc<Gate<S>>>> {
    let mut description = ApiDescription::new();
    for method in Method::ALL
        .iter()
        .map(|method| method.as_str())
        .chain(["CONNECT"])
    {
        description.register(
            ApiEndpoint::new(
                // dropshot copies the name for each request, and nobody sees it.
                String::new(),
                handle::<S>,
                method.parse()?,
                "application/json",
                "/{path:.*}",
                ApiEndpointVersions::All,
            )
            .visible(false),
        )?;
    }
    Ok(description)
}

/// Handles one request of the public listener. A client that disconnects cancels a request that only reads. Any other runs
/// to its end, in a task of its own, so that the client's disconnection does not decide what is stored.
fn handle<S: Service>(
    rqctx: RequestContext<Arc<Gate<S>>>,
    body: RequestBody,
) -> impl Future<Output = Result<Response<Body>, HttpError>> + Send {
    let gate = rqctx.context();
    let arrival = (gate.in_flight.enter(), gate.now());
    if Method::has(rqctx.request.method().as_str(), Method::is_safe) {
        Either::Left(serve(rqctx, body, arrival).map(Ok))
    } else {
        let served = tokio::spawn(serve(rqctx, body, arrival));
        // The task can only be cancelled, by the end of the process.
        let response =
            served.map(|it| it.map_err(|it| HttpError::for_internal_error(it.to_string())));
        Either::Right(response)
    }
}
