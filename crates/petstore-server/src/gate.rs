//! The only door to the operations: every request of the public listener comes
//! in here and every answer goes out here, whatever went wrong behind it.
//!
//! dropshot routes nothing for us: its own 404 and 405 never reach a handler, so
//! one wildcard endpoint is registered for every method and the gate looks the
//! operation up itself. What dropshot and hyper still answer on their own is
//! listed in the README.

mod body;
mod guard;
mod lifecycle;
mod methods;
mod target;

use std::sync::Arc;
use std::time::Instant;

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, HttpError, Path, RawRequest,
    RequestContext,
};
use http::header::{ALLOW, HeaderName, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use petstore_api::types::Error;
use petstore_api::{ErrorCode, OPERATIONS, Operation, dispatch};
use schemars::JsonSchema;
use serde::Deserialize;
use spec_runtime::{DecodedRequest, Decoder, DispatchError};

use self::guard::guard;
use self::lifecycle::Lifecycle;
use self::target::{Target, Targets};
use crate::api::PetstoreImpl;
use crate::call::Call;
use crate::error;
use crate::reference;
use crate::service::Service;
use crate::store::canonical_body_hash;

/// What a client waits after a 503 before it tries again, in seconds.
const RETRY_AFTER_UNAVAILABLE: HeaderValue = HeaderValue::from_static("1");

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Whose idempotency keys these are, while callers are not told apart.
const EVERYONE: &str = "";

/// The path of any request. dropshot wants every path parameter taken; the gate
/// reads the path itself, undecoded.
#[derive(Debug, Deserialize, JsonSchema)]
struct Anywhere {
    #[serde(rename = "path")]
    _path: Vec<String>,
}

/// The parts of the gate that are made once, at the start of the server.
#[derive(Debug)]
pub struct Gate {
    targets: Targets,
    decoder: Decoder,
    lifecycles: Vec<Lifecycle>,
}

impl Gate {
    /// Compiles routes and validators from the operation table.
    ///
    /// # Errors
    ///
    /// When the document asks for a path or a parameter that requests cannot be
    /// read by.
    pub fn new() -> anyhow::Result<Gate> {
        Ok(Gate {
            targets: Targets::new()?,
            decoder: Decoder::new(&petstore_api::DOCUMENT, &OPERATIONS)?,
            lifecycles: lifecycle::of_operations(&OPERATIONS),
        })
    }
}

/// The description that the public listener serves: the gate, for every method
/// that IANA lists, and nothing else.
///
/// # Errors
///
/// When dropshot refuses the registration.
pub fn description() -> anyhow::Result<ApiDescription<Arc<Service>>> {
    let mut description = ApiDescription::new();
    for method in methods::registered() {
        description.register(
            ApiEndpoint::new(
                format!("gate_{method}"),
                enter,
                method,
                "application/json",
                "/{path:.*}",
                ApiEndpointVersions::All,
            )
            .visible(false),
        )?;
    }
    Ok(description)
}

/// Answers one request. Never fails: what goes wrong becomes an `Error` object.
async fn enter(
    rqctx: RequestContext<Arc<Service>>,
    _: Path<Anywhere>,
    request: RawRequest,
) -> Result<Response<Body>, HttpError> {
    let started = Instant::now();
    let service = Arc::clone(rqctx.context());
    let target = service
        .gate
        .targets
        .find(rqctx.request.method(), rqctx.request.uri().path());
    let log = service.log_of(&rqctx.request_id);
    let (name, operation) = (target.name(), target.operation());

    let answer = guard(
        respond(&service, rqctx, target, request.into_inner()),
        name,
        &log,
    )
    .await;
    let mut response = answer.unwrap_or_else(error::into_response);
    stamp(&service.gate, operation, &mut response);

    slog::info!(log, "request";
        "operation" => name,
        "status" => response.status().as_u16(),
        "latency_us" => u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
    );
    Ok(response)
}

async fn respond(
    service: &Service,
    rqctx: RequestContext<Arc<Service>>,
    target: Target,
    request: http::Request<Body>,
) -> Result<Response<Body>, Error> {
    match target {
        Target::Operation {
            operation,
            parameters,
        } => operate(service, rqctx, operation, &parameters, request).await,
        Target::Document(document) => Ok(reference::serve(document)),
        Target::Options { allow } => Ok(empty(StatusCode::NO_CONTENT, allow)),
        Target::MethodNotAllowed { allow } => {
            let methods = allow.to_str().unwrap_or_default().to_owned();
            let mut response = error::into_response(error::of(
                ErrorCode::MethodNotAllowed,
                format!(
                    "this path answers to {methods}, not to {}",
                    request.method()
                ),
            ));
            response.headers_mut().insert(ALLOW, allow);
            Ok(response)
        }
        Target::NotFound => Err(error::of(
            ErrorCode::RouteNotFound,
            "there is nothing at this path; /openapi.yaml describes what there is".to_owned(),
        )),
    }
}

/// Decodes the request, runs the operation, and answers with what it gives.
async fn operate(
    service: &Service,
    rqctx: RequestContext<Arc<Service>>,
    operation: Operation,
    path: &spec_runtime::PathParameters,
    request: http::Request<Body>,
) -> Result<Response<Body>, Error> {
    let decoder = &service.gate.decoder;
    let index = operation as usize;
    let (head, body) = request.into_parts();
    let parameters = decoder
        .parameters(index, path, head.uri.query(), &head.headers)
        .map_err(|rejection| error::of_rejection(&rejection))?;
    let body = if decoder.expects_body(index) {
        let media_type = decoder
            .media_type(index, &head.headers)
            .map_err(|rejection| error::of_rejection(&rejection))?;
        let bytes = body::read(&head.headers, body, service.body_timeout).await?;
        decoder
            .body(index, media_type, &bytes)
            .map_err(|rejection| error::of_rejection(&rejection))?
    } else {
        None
    };
    let log = service.log_of(&rqctx.request_id);
    let call = Call {
        caller: EVERYONE.to_owned(),
        body: digest(&head.headers, body.as_ref()),
    };
    let request = DecodedRequest::new(parameters, body);
    let outcome = call
        .scope(dispatch::<PetstoreImpl>(operation, rqctx, request))
        .await;
    outcome.map_err(|failure| match failure {
        DispatchError::Rejected(rejection) => error::of_rejection(&rejection),
        DispatchError::Internal(failure) => {
            slog::error!(log, "an answer could not be written"; "error" => %failure.internal_message);
            error::internal()
        }
    })
}

/// The hash of the body, for the calls that may need it.
fn digest(headers: &HeaderMap, body: Option<&serde_json::Value>) -> Option<[u8; 32]> {
    headers
        .get(IDEMPOTENCY_KEY)
        .and(body)
        .map(canonical_body_hash)
}

/// Adds what every answer carries, errors included.
fn stamp(gate: &Gate, operation: Option<Operation>, response: &mut Response<Body>) {
    if let Some(operation) = operation {
        gate.lifecycles[operation as usize].stamp(response.headers_mut());
    }
    if response.status() == StatusCode::SERVICE_UNAVAILABLE {
        response
            .headers_mut()
            .entry(RETRY_AFTER)
            .or_insert(RETRY_AFTER_UNAVAILABLE);
    }
}

fn empty(status: StatusCode, allow: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(ALLOW, allow);
    response
}
