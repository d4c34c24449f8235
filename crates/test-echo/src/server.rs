//! Serves an interface on the loopback address: routes, decodes and dispatches as the gate does, without limits, and
//! with any credentials that are sent as the document says.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::Bytes;
use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, ClientErrorStatusCode, ConfigDropshot,
    HttpError, HttpServer, Path, RawRequest, RequestContext, ServerBuilder,
};
use dropspec_runtime::security::{Credentials, Permit, Security, Verified, Verify};
use dropspec_runtime::{
    DecodedRequest, Decoder, DispatchError, IncomingBody, Interface, Method, Rejection, Route,
    Routes,
};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use schemars::JsonSchema;
use serde::Deserialize;
use slog::{Discard, Logger, o};

use crate::echo::{Echo, Seen};
use crate::mock::Mock;

/// The path parameter of an endpoint for every path. It is not read.
#[derive(Deserialize, JsonSchema)]
struct Wildcard {
    #[serde(rename = "path")]
    _path: Vec<String>,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) echo: Arc<Echo>,
    server: HttpServer<Arc<Echo>>,
}

impl Server {
    /// Starts a server on a free port, with a mock that answers in place of the implementation or without.
    pub(crate) fn start<I>(mock: Option<Mock>) -> anyhow::Result<Server>
    where
        I: Interface<Context = Arc<Echo>>,
    {
        let routes = Routes::new(I::operations())?;
        let decoder = Decoder::new(I::document(), I::operations())?;
        let echo = Arc::new(Echo::new(routes, decoder, mock));
        let mut endpoints = ApiDescription::new();
        for method in Method::ALL {
            endpoints.register(
                ApiEndpoint::new(
                    method.to_string(),
                    handle::<I>,
                    method.as_str().parse()?,
                    "application/json",
                    "/{path:.*}",
                    ApiEndpointVersions::All,
                )
                .visible(false),
            )?;
        }
        let log = Logger::root(Discard, o!());
        let builder = ServerBuilder::new(endpoints, Arc::clone(&echo), log);
        let server = builder.config(ConfigDropshot {
            bind_address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            default_request_body_max_bytes: usize::MAX,
            ..ConfigDropshot::default()
        });
        let server = server.start()?;
        Ok(Server { echo, server })
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.server.local_addr())
    }
}

async fn handle<I: Interface<Context = Arc<Echo>>>(
    rqctx: RequestContext<Arc<Echo>>,
    _path: Path<Wildcard>,
    request: RawRequest,
) -> Result<Response<Body>, HttpError> {
    let echo = Arc::clone(rqctx.context());
    let request_id = rqctx.request_id.clone();
    let (head, body) = request.into_inner().into_parts();
    let body = body.collect().await.map_err(to_internal)?.to_bytes();
    let route = echo.routes.find(&head.method, head.uri.path());
    let (operation, outcome) = match (route, &echo.mock) {
        (Route::Found { operation, .. }, Some(mock)) => {
            let answer = mock.answer(&head, body.clone(), echo.take_planned());
            let answer = answer.await.map_err(to_internal);
            (Some(operation), answer.map_err(DispatchError::Internal))
        }
        (
            Route::Found {
                operation,
                parameters,
            },
            None,
        ) => {
            let decoded = decode(&echo.decoder, operation, &parameters, &head, body.clone());
            let outcome = match (decoded, authorize::<I>(operation, &head).await) {
                (Ok(request), Ok(permit)) => {
                    let request = request.with_extensions(head.extensions);
                    I::dispatch(permit, rqctx, request).await
                }
                (Err(rejection), _) => Err(rejection.into()),
                (Ok(_), Err(error)) => Err(DispatchError::Internal(error)),
            };
            (Some(operation), outcome)
        }
        (route, _) => {
            let problem = format!("no operation: {route:?}");
            let error = HttpError::for_not_found(None, problem);
            (None, Err(DispatchError::Internal(error)))
        }
    };
    let (response, problem) = match outcome {
        Ok(response) => (response, None),
        Err(error) => {
            let problem = describe(&error);
            let error = to_http_error(error);
            // An error that the method itself returned is as planned.
            let problem =
                problem.or_else(|| operation.is_none().then(|| error.internal_message.clone()));
            (error.into_response(&request_id), problem)
        }
    };
    let (head, response_body) = response.into_parts();
    let is_upgrade = head.status == StatusCode::SWITCHING_PROTOCOLS;
    let response_body = if is_upgrade {
        Bytes::new()
    } else {
        response_body
            .collect()
            .await
            .map_err(to_internal)?
            .to_bytes()
    };
    echo.record(Seen {
        operation,
        request: body.to_vec(),
        arrived: None,
        problem,
        status: head.status,
        headers: head.headers.clone(),
        response: response_body.to_vec(),
    });
    Ok(Response::from_parts(head, response_body.into()))
}

/// Decodes a request as the gate does.
fn decode(
    decoder: &Decoder,
    operation: usize,
    path: &dropspec_runtime::PathParameters,
    head: &http::request::Parts,
    body: Bytes,
) -> Result<DecodedRequest, Rejection> {
    let headers = &head.headers;
    let parameters = decoder.decode_parameters(operation, path, head.uri.query(), headers)?;
    let body = if decoder.expects_body(operation) {
        match decoder.select_media_type(operation, headers)? {
            Some(media_type) if media_type.is_streamed() => {
                decoder.stream_body(operation, media_type, headers, body.into())?
            }
            media_type => decoder.decode_body(operation, media_type, &body)?,
        }
    } else {
        IncomingBody::default()
    };
    Ok(DecodedRequest::new(parameters, body))
}

/// Checks the credentials of a request.
async fn authorize<I: Interface>(
    operation: usize,
    head: &http::request::Parts,
) -> Result<Permit<I>, HttpError> {
    let (headers, query) = (&head.headers, head.uri.query());
    let security = Security::<I>::new();
    let checked = security.authorize(operation, headers, query, &AnyCredentials);
    let Ok(authorization) = checked.await;
    authorization.outcome.map_err(|denial| {
        let message = format!("the credentials are not those of the document: {denial:?}");
        HttpError::for_client_error(None, ClientErrorStatusCode::UNAUTHORIZED, message)
    })
}

/// Takes all credentials that are sent as the document says.
struct AnyCredentials;

impl Verify for AnyCredentials {
    type Identity = ();
    type Refusal = Infallible;
    type Failure = Infallible;

    async fn verify(&self, _: usize, _: Credentials<'_>) -> Verified<(), Infallible, Infallible> {
        Ok(Ok(()))
    }

    fn has_scope(&self, (): &(), _: &str) -> bool {
        true
    }
}

/// Why a request was refused; `None` for an error that the method returned.
fn describe(error: &DispatchError) -> Option<String> {
    match error {
        DispatchError::Rejected(rejection) => Some(rejection.to_string()),
        DispatchError::NotImplemented => Some(error.to_string()),
        DispatchError::Internal(_) => None,
    }
}

fn to_http_error(error: DispatchError) -> HttpError {
    match error {
        DispatchError::Rejected(rejection) => rejection.into(),
        DispatchError::NotImplemented => HttpError::for_unavail(None, error.to_string()),
        DispatchError::Internal(error) => error,
    }
}

fn to_internal(error: impl ToString) -> HttpError {
    HttpError::for_internal_error(error.to_string())
}
