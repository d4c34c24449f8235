//! The operator's panel, on a listener of its own: whether the process lives,
//! whether it can serve, and its figures. It is behind no key; who can reach it
//! is up to where it listens.

mod figures;

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

use self::figures::Figures;
use crate::logging::{self, Causes};
use crate::service::Service;

/// The panel of a running server.
pub struct Panel {
    server: HttpServer<Arc<State>>,
    state: Arc<State>,
}

/// What the pages of the panel are made from.
#[derive(Debug)]
struct State {
    service: Arc<Service>,
    registry: Registry,
    stopping: AtomicBool,
}

impl Panel {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// When the address cannot be bound.
    pub fn start(listen: SocketAddr, service: Arc<Service>) -> Result<Panel> {
        let mut registry = Registry::with_prefix("petstore");
        service.metrics.register(&mut registry);
        registry.register_collector(Box::new(Figures::new(Arc::clone(&service))));
        let log = logging::for_dropshot(&service.log);
        let state = Arc::new(State {
            service,
            registry,
            stopping: AtomicBool::new(false),
        });
        let mut pages = ApiDescription::new();
        pages.register(healthz)?;
        pages.register(readyz)?;
        pages.register(metrics)?;
        let server = ServerBuilder::new(pages, Arc::clone(&state), log)
            .config(ConfigDropshot {
                bind_address: listen,
                ..ConfigDropshot::default()
            })
            .start()
            .with_context(|| format!("cannot listen on {listen}"))?;
        Ok(Panel { server, state })
    }

    /// The address that the panel is bound to.
    pub fn address(&self) -> SocketAddr {
        self.server.local_addr()
    }

    /// From now on `/readyz` says that the server is stopping.
    pub fn not_ready_any_more(&self) {
        self.state.stopping.store(true, Ordering::Relaxed);
    }

    /// Stops listening.
    ///
    /// # Errors
    ///
    /// When the listener broke before.
    pub async fn stop(self) -> Result<()> {
        let Panel { server, state } = self;
        drop(state);
        server
            .close()
            .await
            .map_err(anyhow::Error::msg)
            .context("the panel broke")
    }
}

/// Whether the process answers at all.
#[endpoint { method = GET, path = "/healthz" }]
async fn healthz(_: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    page(StatusCode::OK, "text/plain", "alive\n".to_owned())
}

/// Whether requests can be served: the store is reachable, its schema is ours, and nobody said stop.
#[endpoint { method = GET, path = "/readyz" }]
async fn readyz(rqctx: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    let state = rqctx.context();
    let (status, text) = if state.stopping.load(Ordering::Relaxed) {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else if let Err(error) = state.service.store.check() {
        slog::warn!(state.service.log, "the store is not ready"; "error" => %Causes(&error));
        (
            StatusCode::SERVICE_UNAVAILABLE,
            "the store cannot be read\n",
        )
    } else {
        (StatusCode::OK, "ready\n")
    };
    page(status, "text/plain", text.to_owned())
}

/// The figures, in the OpenMetrics text format 1.0.
#[endpoint { method = GET, path = "/metrics" }]
async fn metrics(rqctx: RequestContext<Arc<State>>) -> Result<Response<Body>, HttpError> {
    let mut text = String::new();
    encode(&mut text, &rqctx.context().registry)
        .map_err(|error| HttpError::for_internal_error(error.to_string()))?;
    page(
        StatusCode::OK,
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        text,
    )
}

fn page(status: StatusCode, media_type: &str, text: String) -> Result<Response<Body>, HttpError> {
    Ok(Response::builder()
        .status(status)
        .header(CONTENT_TYPE, media_type)
        .body(text.into())?)
}
