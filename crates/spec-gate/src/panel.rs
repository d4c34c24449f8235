//! The operator's panel, on a listener of its own: liveness, readiness and metrics. It needs no key, so its address
//! must not be public.

mod collector;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use dropshot::{
    ApiDescription, Body, ConfigDropshot, HttpError, HttpServer, RequestContext, ServerBuilder,
    endpoint,
};
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use slog::Logger;
use sqlite_engine::EngineError;

use self::collector::StatsCollector;
use crate::gate::{Gate, Service};
use crate::logging::Causes;
use crate::rate_limit::Limiter;

/// The listener for the operator, with health, readiness and metrics, while it runs.
pub(crate) struct Panel {
    server: HttpServer<Arc<State>>,
    state: Arc<State>,
}

struct State {
    check: Box<dyn Fn() -> Result<(), EngineError> + Send + Sync>,
    ledger_fails: Box<dyn Fn() -> bool + Send + Sync>,
    registry: Registry,
    draining: AtomicBool,
    log: Logger,
}

impl Panel {
    /// Starts to listen for the operator's requests.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    pub(crate) fn start<S: Service>(listen: SocketAddr, gate: &Arc<Gate<S>>) -> Result<Panel> {
        let mut registry = Registry::with_prefix(S::NAME);
        gate.metrics().register(&mut registry);
        registry.register_collector(Box::new(StatsCollector(Arc::clone(gate))));
        let (checked, limited) = (Arc::clone(gate), Arc::clone(gate));
        let state = Arc::new(State {
            check: Box::new(move || checked.service().engine().map_or(Ok(()), |it| it.check())),
            ledger_fails: Box::new(move || limited.limiter().is_some_and(Limiter::ledger_fails)),
            registry,
            draining: AtomicBool::new(false),
            log: gate.log().clone(),
        });
        let mut endpoints = ApiDescription::new();
        endpoints.register(healthz)?;
        endpoints.register(readyz)?;
        endpoints.register(metrics)?;
        let server = ServerBuilder::new(endpoints, Arc::clone(&state), gate.dropshot_log())
            .config(ConfigDropshot {
                bind_address: listen,
                ..ConfigDropshot::default()
            })
            .start()
            .with_context(|| format!("cannot listen on {listen}"))?;
        Ok(Panel { server, state })
    }

    /// The address on which the panel listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.server.local_addr()
    }

    /// Makes `/readyz` respond 503 from now on, because the server is stopping.
    pub(crate) fn mark_draining(&self) {
        self.state.draining.store(true, Ordering::Relaxed);
    }

    /// Closes the listener of the panel.
    ///
    /// # Errors
    ///
    /// If the listener failed before.
    pub(crate) async fn stop(self) -> Result<()> {
        let Panel { server, state } = self;
        drop(state);
        server
            .close()
            .await
            .map_err(anyhow::Error::msg)
            .context("the listener of the panel failed")
    }
}

/// Serves `GET /healthz`: 200 while the process runs.
#[endpoint { method = GET, path = "/healthz" }]
async fn healthz(_: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    respond(StatusCode::OK, "text/plain", "alive\n".to_owned())
}

/// Serves `GET /readyz`: 200 if requests can be served, and 503 with the reason if the database cannot be used
/// or the server is stopping. The text says more if the limiter cannot use its ledger.
#[endpoint { method = GET, path = "/readyz" }]
async fn readyz(rqctx: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    let state = rqctx.context();
    let text = if state.draining.load(Ordering::Relaxed) {
        "stopping\n".to_owned()
    } else {
        match (state.check)() {
            Ok(()) => {
                // Still ready: keys with a lease are served, and reads of the others if the policy admits them.
                let text = match (state.ledger_fails)() {
                    true => "ready, but the usage of keys could not be stored the last time\n",
                    false => "ready\n",
                };
                return respond(StatusCode::OK, "text/plain", text.to_owned());
            }
            Err(error) => match error.fault() {
                // It is logged once, when the server notices it.
                Some(fault) => format!("{fault}\n"),
                None => {
                    slog::warn!(state.log, "the database is not ready"; "error" => %Causes(&error));
                    "the store cannot be read\n".to_owned()
                }
            },
        }
    };
    respond(StatusCode::SERVICE_UNAVAILABLE, "text/plain", text)
}

/// Serves `GET /metrics`: all metrics in the OpenMetrics text format 1.0.
#[endpoint { method = GET, path = "/metrics" }]
async fn metrics(rqctx: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    let mut text = String::new();
    encode(&mut text, &rqctx.context().registry)
        .map_err(|error| HttpError::for_internal_error(error.to_string()))?;
    respond(
        StatusCode::OK,
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        text,
    )
}

fn respond(
    status: StatusCode,
    media_type: &str,
    text: String,
) -> Result<Response<Body>, HttpError> {
    Ok(Response::builder()
        .status(status)
        .header(CONTENT_TYPE, media_type)
        .body(text.into())?)
}
