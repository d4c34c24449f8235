//! The endpoints of the public listener: for every method one that matches every path.

use std::sync::Arc;

use dropshot::{ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, HttpError, RequestContext};
use futures::FutureExt;
use futures::future::Either;
use http::Response;

use super::request_body::RequestBody;
use super::serve::serve;
use super::state::{Gate, Service};

/// The methods of the IANA HTTP Method Registry (RFC 9110, section 18.2) without `PRI`, which is not a request, and `*`: so even a
/// rare one gets the gate's 405 instead of dropshot's.
const REGISTERED_METHODS: &str = "
    ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT CONNECT COPY DELETE GET HEAD LABEL LINK LOCK MERGE
    MKACTIVITY MKCALENDAR MKCOL MKREDIRECTREF MKWORKSPACE MOVE OPTIONS ORDERPATCH PATCH POST PROPFIND
    PROPPATCH PUT QUERY REBIND REPORT SEARCH TRACE UNBIND UNCHECKOUT UNLINK UNLOCK UPDATE
    UPDATEREDIRECTREF VERSION-CONTROL
";

/// Describes the public listener for dropshot: for every HTTP method one endpoint that matches every path.
///
/// # Errors
///
/// If dropshot refuses the registration.
pub fn describe_endpoints<S: Service>() -> anyhow::Result<ApiDescription<Arc<Gate<S>>>> {
    let mut description = ApiDescription::new();
    for method in REGISTERED_METHODS.split_whitespace() {
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
    if rqctx.request.method().is_safe() {
        Either::Left(serve(rqctx, body, arrival).map(Ok))
    } else {
        let served = tokio::spawn(serve(rqctx, body, arrival));
        // The task can only be cancelled, by the end of the process.
        let response =
            served.map(|it| it.map_err(|it| HttpError::for_internal_error(it.to_string())));
        Either::Right(response)
    }
}
