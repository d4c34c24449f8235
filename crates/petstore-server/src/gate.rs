//! The only door to the operations: every request of the public listener comes
//! in here and every answer goes out here, whatever went wrong behind it.
//!
//! dropshot routes nothing for us: its own 404 and 405 never reach a handler, so
//! one wildcard endpoint is registered for every method and the gate looks the
//! operation up itself. What dropshot and hyper still answer on their own is
//! listed in the README.

mod admission;
mod body;
mod guard;
mod in_flight;
mod lifecycle;
mod methods;
mod operate;
mod stamp;
mod target;

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, HttpError, Path, RawRequest,
    RequestContext,
};
use http::header::ALLOW;
use http::{HeaderValue, Response, StatusCode};
use petstore_api::types::Error;
use petstore_api::{ErrorCode, OPERATIONS, Operation};
use schemars::JsonSchema;
use serde::Deserialize;
use spec_runtime::Decoder;

use self::admission::{Admission, Terms, admit};
use self::guard::guard;
use self::in_flight::InFlight;
use self::lifecycle::Lifecycle;
use self::operate::operate;
use self::stamp::stamp;
use self::target::{Target, Targets};
use crate::auth::{Access, Caller};
use crate::error;
use crate::reference;
use crate::service::Service;

/// What a request that is for no operation asks of its sender: that there be one.
const NO_OPERATION: Terms = Terms {
    cost: 1,
    access: Access::Read,
    open: false,
};

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
    terms: Vec<Terms>,
    lifecycles: Vec<Lifecycle>,
    in_flight: InFlight,
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
            terms: terms_of_operations()?,
            lifecycles: lifecycle::of_operations(&OPERATIONS),
            in_flight: InFlight::new(),
        })
    }

    /// Waits until no request is being answered.
    pub async fn idle(&self) {
        self.in_flight.idle().await;
    }

    fn terms(&self, target: &Target) -> Terms {
        match target {
            Target::Operation { operation, .. } => self.terms[*operation as usize],
            Target::Page(_) => Terms {
                open: true,
                ..NO_OPERATION
            },
            Target::Options { .. } | Target::MethodNotAllowed { .. } | Target::NotFound => {
                NO_OPERATION
            }
        }
    }

    fn lifecycle(&self, operation: Option<Operation>) -> Option<&Lifecycle> {
        operation.map(|operation| &self.lifecycles[operation as usize])
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
    let (gate, now) = (&service.gate, service.clock.now());
    let _counted = gate.in_flight.enter();
    let log = service.log_of(&rqctx.request_id);
    // Looking the target up is pure, and it decides the charge; what comes of it
    // is told only to a caller who is known and counted.
    let target = gate
        .targets
        .find(rqctx.request.method(), rqctx.request.uri().path());
    let (name, operation) = (target.name(), target.operation());

    let terms = gate.terms(&target);
    let admission = async { Ok(admit(&service, &rqctx.request, terms, now, &log).await) };
    let Admission {
        standing,
        key_prefix,
        outcome,
    } = guard(admission, name, &log)
        .await
        .unwrap_or_else(|error| Admission::failed(error, now));
    let answer = match outcome {
        Ok(caller) => {
            let answer = respond(&service, rqctx, target, caller, request.into_inner());
            guard(answer, name, &log).await
        }
        Err(refusal) => Err(refusal),
    };
    let mut response = answer.unwrap_or_else(error::into_response);
    let status = response.status();
    stamp(
        response.headers_mut(),
        status,
        &standing,
        gate.lifecycle(operation),
    );

    let latency = started.elapsed();
    service.metrics.answered(name, status, latency);
    slog::info!(log, "request";
        "operation" => name,
        "status" => status.as_u16(),
        "latency_us" => u64::try_from(latency.as_micros()).unwrap_or(u64::MAX),
        "key" => key_prefix,
    );
    Ok(response)
}

async fn respond(
    service: &Service,
    rqctx: RequestContext<Arc<Service>>,
    target: Target,
    caller: Option<Caller>,
    request: http::Request<Body>,
) -> Result<Response<Body>, Error> {
    match (target, caller) {
        (
            Target::Operation {
                operation,
                parameters,
            },
            Some(caller),
        ) => operate(service, rqctx, operation, &parameters, caller, request).await,
        (Target::Page(page), _) => Ok(reference::serve(page)),
        (Target::Options { allow }, _) => Ok(empty(StatusCode::NO_CONTENT, allow)),
        (Target::MethodNotAllowed { allow }, _) => {
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
        // No operation is open to a caller without a key, so the latter does not come up.
        (Target::NotFound, _) | (Target::Operation { .. }, None) => Err(error::of(
            ErrorCode::RouteNotFound,
            "there is nothing at this path; /docs describes what there is".to_owned(),
        )),
    }
}

fn terms_of_operations() -> anyhow::Result<Vec<Terms>> {
    let terms = OPERATIONS.iter().map(|operation| {
        let access = operation
            .required_access
            .map_or(Ok(Access::Read), str::parse);
        Ok(Terms {
            cost: operation.rate_limit_cost,
            access: access
                .with_context(|| format!("x-required-access of {}", operation.operation_id))?,
            open: false,
        })
    });
    terms.collect()
}

fn empty(status: StatusCode, allow: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(ALLOW, allow);
    response
}
