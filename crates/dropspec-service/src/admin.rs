//! The operator's panel, on a listener and a thread of its own: liveness, readiness and metrics. It needs no key, so its
//! address must not be public. It answers also when the public listener has used up all files.

mod answer;
mod guesses;
mod listener;
mod open_files;
mod operator;
mod operator_token;
mod process_stats;
mod server_stats;
mod stats;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use dropspec_gate::clock::STEP;
use dropspec_gate::database::Database;
use dropspec_gate::gate::{Gate, Service};
use dropspec_gate::keys::to_storage_error;
use dropspec_gate::logging::Causes;
use dropspec_gate::rate_limit::Limiter;
use dropspec_gate::reference::Page;
use dropspec_gate::server_name::ServerName;
use dropspec_gate::storage_error::StorageError;
use dropspec_runtime::Interface;
use dropspec_store::EngineError;
use dropspec_store::sqlite::Fault;
use http::header::ALLOW;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use slog::Logger;
use tokio::task::JoinHandle;

use self::answer::answer;
use self::guesses::Guesses;
use self::listener::{PanelBody, SPARE_FILES, ServingThread, create_runtime};
use self::open_files::SpareFiles;
pub use self::open_files::check_limit as check_file_limit;
pub use self::operator::Managed;
use self::operator::Operator;
pub use self::operator_token::OperatorToken;
use self::process_stats::of_process;
use self::server_stats::{of_files, of_gate};
use self::stats::{StatsCollector, counter};
use crate::listener::socket;

/// How long `/readyz` waits for the database. A check takes up to five seconds if another process locks it, and has no
/// limit if the disk hangs.
const CHECK_TIMEOUT: Duration = Duration::from_secs(6);

const LEDGER_FAILS: &str = "the usage of keys could not be stored the last time";

const TEXT: &str = "text/plain";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The listener for the operator, with health, readiness and metrics, while it runs.
pub struct Panel {
    address: SocketAddr,
    thread: ServingThread,
    state: Arc<PanelState>,
}

struct PanelState {
    check: Box<dyn Fn() -> JoinHandle<Result<(), EngineError>> + Send + Sync>,
    /// What `/readyz` says of a server that is ready, but not in order.
    warning: Box<dyn Fn() -> Option<String> + Send + Sync>,
    registry: Registry,
    draining: AtomicBool,
    log: Logger,
}

impl Panel {
    /// Starts to listen for the operator's requests, and to watch the open files. Call it when the public listener is
    /// bound; `service_url` leads there, without a slash at its end, for the link to its reference page.
    pub fn start<S: Service>(
        listen: SocketAddr,
        name: &ServerName,
        version: &'static str,
        gate: &Arc<Gate<S>>,
        service_url: &str,
        managed: Managed,
    ) -> Result<Panel> {
        let bind = || {
            let listener = socket::listen(listen)?;
            let address = listener.local_addr()?;
            Ok::<_, std::io::Error>((listener, address))
        };
        let (listener, address) = bind().with_context(|| format!("cannot listen on {listen}"))?;
        // It opens sockets, which are no connections.
        let runtime = create_runtime()?;
        let files = SpareFiles::reserve(SPARE_FILES).context("cannot open spare files")?;
        let files = Arc::new(files);
        let mut all = Registry::default();
        let of_panel = Arc::clone(&files);
        let process = StatsCollector(move || of_process(&of_panel));
        all.register_collector(Box::new(process));
        let registry = all.sub_registry_with_prefix(S::NAME);
        gate.metrics.register(registry);
        let help = "The name of this server, which its log lines have, too";
        let labels = vec![("server", name.to_string())];
        registry.register("server", help, Info::new(labels));
        let help = "The versions of the program and of its OpenAPI document";
        let document = S::Interface::document().json();
        let document = document["info"]["version"].as_str().unwrap_or_default();
        let labels = vec![
            ("version", version.to_owned()),
            ("document", document.to_owned()),
        ];
        registry.register("build", help, Info::new(labels));
        let (of_panel, read) = (Arc::clone(&files), Arc::clone(gate));
        let stats = StatsCollector(move || of_gate(&read));
        registry.register_collector(Box::new(stats));
        let stats = StatsCollector(move || of_files(&of_panel));
        registry.register_collector(Box::new(stats));
        let guesses = Arc::new(Guesses::default());
        let of_panel = Arc::clone(&guesses);
        let stats =
            StatsCollector(move || vec![counter("operator_wrong_tokens", of_panel.count())]);
        registry.register_collector(Box::new(stats));
        let (checked, limited) = (Arc::clone(gate), Arc::clone(gate));
        #[cfg(feature = "postgres")]
        let runtime_of_server = tokio::runtime::Handle::current();
        let state = Arc::new(PanelState {
            check: Box::new(move || match checked.service().database().cloned() {
                // Elsewhere, as it waits for the disk.
                Some(Database::Sqlite(engine)) => {
                    tokio::task::spawn_blocking(move || engine.check())
                }
                // On the runtime of the server, to which the connections belong.
                #[cfg(feature = "postgres")]
                Some(Database::Postgres(engine)) => {
                    runtime_of_server.spawn(async move { engine.check().await })
                }
                None => tokio::spawn(async { Ok(()) }),
            }),
            warning: Box::new(move || find_warning(&limited)),
            registry: all,
            draining: AtomicBool::new(false),
            log: gate.log().clone(),
        });
        let is_loopback = address.ip().to_canonical().is_loopback();
        let docs = format!("{service_url}{}", Page::Docs.path());
        let gate_of_page = Arc::clone(gate);
        let operator = Operator::new(
            gate_of_page,
            name.clone(),
            docs,
            managed,
            is_loopback,
            guesses,
        );
        let (served, operator) = (Arc::clone(&state), Arc::new(operator));
        let respond = move |request: Request<Incoming>| {
            let (served, operator) = (Arc::clone(&served), Arc::clone(&operator));
            async move {
                if is_health_or_metrics(&request) {
                    respond(served, request).await
                } else {
                    operator.respond(request).await
                }
            }
        };
        let thread = ServingThread::start(runtime, listener, files, gate.log().clone(), respond)?;
        Ok(Panel {
            address,
            thread,
            state,
        })
    }

    /// The address on which the panel listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes `/readyz` respond 503 from now on, because the server is stopping.
    pub fn mark_draining(&self) {
        self.state.draining.store(true, Ordering::Relaxed);
    }

    /// Closes the listener of the panel.
    pub async fn stop(self) -> Result<()> {
        self.thread.stop().await
    }
}

fn is_health_or_metrics(request: &Request<Incoming>) -> bool {
    matches!(request.uri().path(), "/healthz" | "/readyz" | "/metrics")
}

async fn respond(state: Arc<PanelState>, request: Request<Incoming>) -> Response<PanelBody> {
    let path = request.uri().path();
    // hyper leaves out the body of a response to HEAD.
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let text = "the panel answers GET and HEAD\n";
        let mut response = answer(StatusCode::METHOD_NOT_ALLOWED, TEXT, text);
        let allowed = HeaderValue::from_static("GET, HEAD");
        response.headers_mut().insert(ALLOW, allowed);
        return response;
    }
    match path {
        "/healthz" => answer(StatusCode::OK, TEXT, "alive\n"),
        "/readyz" => readiness(state).await,
        _ => metrics(&state),
    }
}

/// `/readyz`: 200 if requests can be served, and 503 with the reason if the database cannot be used or the server is
/// stopping. The text says more if the limiter cannot use its ledger, or the clock of the machine is wrong.
async fn readiness(state: Arc<PanelState>) -> Response<PanelBody> {
    if state.draining.load(Ordering::Relaxed) {
        return answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, "stopping\n");
    }
    let reason = match tokio::time::timeout(CHECK_TIMEOUT, (state.check)()).await {
        Ok(Ok(Ok(()))) => {
            let text = match (state.warning)() {
                Some(warning) => format!("ready, but {warning}\n"),
                None => "ready\n".to_owned(),
            };
            return answer(StatusCode::OK, TEXT, text);
        }
        Ok(Ok(Err(error))) => {
            // What is out of use is logged once, when the server notices it.
            if !matches!(to_storage_error(error.clone()), StorageError::OutOfUse(_)) {
                slog::warn!(state.log, "the database is not ready"; "error" => %Causes(&error));
            }
            match Fault::of(&error) {
                Some(fault) => format!("{fault}\n"),
                None => "the store cannot be read\n".to_owned(),
            }
        }
        // A check that panicked, or that takes too long.
        Ok(Err(_)) | Err(_) => "the store does not answer\n".to_owned(),
    };
    answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, reason)
}

/// What is not in order at a server that is ready.
fn find_warning<S: Service>(gate: &Gate<S>) -> Option<String> {
    // Still ready: keys with a lease are served, and reads of the others if the policy admits them.
    if gate.limiter().is_some_and(Limiter::ledger_fails) {
        return Some(LEDGER_FAILS.to_owned());
    }
    let lead = gate.clock_lead();
    let seconds = lead.num_seconds();
    let side = if seconds > 0 { "ahead of" } else { "behind" };
    let warning = format!(
        "the clock of this machine is {} seconds {side} that of the database",
        seconds.unsigned_abs()
    );
    (lead.abs() > STEP).then_some(warning)
}

/// `/metrics`: all metrics in the OpenMetrics text format 1.0.
fn metrics(state: &PanelState) -> Response<PanelBody> {
    let mut text = String::new();
    match encode(&mut text, &state.registry) {
        Ok(()) => answer(StatusCode::OK, OPEN_METRICS, text),
        Err(error) => {
            slog::error!(state.log, "the metrics cannot be written"; "error" => %error);
            let text = "the metrics cannot be written\n";
            answer(StatusCode::INTERNAL_SERVER_ERROR, TEXT, text)
        }
    }
}
