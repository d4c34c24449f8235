//! Starts and stops a server: the public listener with the gate, and the panel.

use std::error::Error;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use dropshot::{
    ApiDescription, ConfigDropshot, ConfigTls, HandlerTaskMode, HttpServer, RawTlsConfig,
    ServerBuilder,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use slog::Logger;
use spec_runtime::Interface;
use sqlite_engine::{Fault, Migration};
use thiserror::Error;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};

use crate::database::{Database, DatabaseConfig};
use crate::gate::{CompiledInterface, Gate, Reporting, Service, describe_endpoints};
use crate::keys::ApiKeys;
use crate::keys::commands::KeyConsole;
#[cfg(target_os = "linux")]
use crate::listening_socket::prepare_listening_socket;
use crate::logging::{Causes, Log};
use crate::metrics::Metrics;
use crate::panel::{Managed, Panel, check_file_limit};
use crate::server_name::ServerName;
use crate::settings::Settings;
use crate::tls::TlsFiles;
use crate::traces::{Origin, Traces};

/// The time that a stop may take. Then the process ends, whatever hangs: the disk, another process that locks the
/// database, or the reader of standard error.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for storing the usage of operations at the stop.
const USAGE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long requests in flight may take to finish after the stop began. It leaves time for the database to close within
/// [`STOP_TIMEOUT`], even if another process locks it.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long requests in flight may take to get their responses after the database failed.
const FAILURE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the panel may take to close its connections.
const PANEL_TIMEOUT: Duration = Duration::from_millis(500);

/// How long the last log line may take to be written before the process ends.
const LAST_LINE_TIMEOUT: Duration = Duration::from_millis(200);

/// The exit code of a process that did not stop within 10 seconds.
pub const EXIT_STOP_TIMEOUT: u8 = 4;

/// The name of the signal after which the drain delay passes.
const TERMINATE: &str = "SIGTERM";

/// The time within which several stop signals count as one.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(200);

/// A server before its start, after everything that can fail without the database has succeeded.
pub struct Setup<S: Service> {
    settings: Settings,
    interface: CompiledInterface<S::Interface>,
    endpoints: ApiDescription<Arc<Gate<S>>>,
    name: ServerName,
    version: &'static str,
    tls: Option<RawTlsConfig>,
    metrics: Metrics,
    log: Log,
    /// The keys, and the plan of a new one.
    keys: Option<(Arc<ApiKeys>, &'static str)>,
    store: Option<DatabaseConfig>,
}

/// A running server with its public listener and its panel.
pub struct Server<S: Service> {
    public: HttpServer<Arc<Gate<S>>>,
    tls: Option<TlsFiles>,
    panel: Panel,
    gate: Arc<Gate<S>>,
}

/// The error of a server that ended because a commit or a checkpoint failed. The file may not be used without a new start,
/// which makes the log durable first.
///
/// See Rebello et al., "Can Applications Recover from fsync Failures?" (USENIX ATC 2020), and `data_sync_retry` of
/// PostgreSQL.
#[derive(Debug, Error)]
#[error("the server ended, as its database failed")]
pub struct DatabaseFailed(#[source] Fault);

impl DatabaseFailed {
    /// The exit code of a process that ends with this error.
    pub const EXIT_CODE: u8 = 3;
}

/// The signals that a server obeys: SIGTERM and SIGINT stop it, SIGHUP reloads its certificate. Register them before the
/// start, so that a signal during the start is not lost, and SIGHUP does not end the process.
pub struct Signals {
    /// The names of the stop signals, as they come.
    stop: mpsc::UnboundedReceiver<&'static str>,
    reload: Signal,
    /// How long requests are still accepted after the first SIGTERM.
    drain_delay: Duration,
}

impl<S: Service> Setup<S> {
    /// Compiles the interface, reads the certificate, and checks that both addresses are free. Call it before the
    /// database is created, so that a start that fails leaves no database behind whose first key is lost.
    ///
    /// # Errors
    ///
    /// If the document is not supported, the certificate cannot be used, an address is not free, or the process may open too
    /// few files.
    pub fn new(settings: Settings) -> Result<Setup<S>> {
        check_file_limit()?;
        let metrics = Metrics::new();
        let dropped = metrics.dropped_log_lines.clone();
        let name = settings.name.clone();
        let name = name.unwrap_or_else(|| ServerName::of_process(settings.listen));
        let log = Log::to_standard_error(settings.log, &name, dropped)
            .context("cannot start the thread of the log")?;
        let interface = CompiledInterface::new(S::NAME, &settings.base_path)?;
        let endpoints = describe_endpoints::<S>()?;
        let tls = settings.tls.as_ref().map(TlsFiles::load).transpose()?;
        // Both at once, as one port cannot serve both.
        let public = bind(settings.listen, "--listen");
        let panel = bind(settings.admin_listen, "--admin-listen");
        drop((public?, panel?));
        Ok(Setup {
            settings,
            interface,
            endpoints,
            name,
            version: "",
            tls,
            metrics,
            log,
            keys: None,
            store: None,
        })
    }

    /// The keys and the database that the page of the operator shows; it can change the keys. A new key has the plan
    /// `default_plan` unless another is named.
    #[must_use]
    pub fn manage(
        self,
        keys: Arc<ApiKeys>,
        default_plan: &'static str,
        store: DatabaseConfig,
    ) -> Setup<S> {
        Setup {
            keys: Some((keys, default_plan)),
            store: Some(store),
            ..self
        }
    }

    /// Sets the version of the program, for the metric `build_info`. By default it is empty.
    #[must_use]
    pub fn with_version(mut self, version: &'static str) -> Setup<S> {
        self.version = version;
        self
    }

    /// Starts the public listener and the panel.
    ///
    /// # Errors
    ///
    /// If an address cannot be bound.
    pub fn start(
        self,
        service: S,
        authenticator: Arc<S::Authenticator>,
        ledger: Arc<S::Ledger>,
    ) -> Result<Server<S>> {
        let (listen, admin_listen) = (self.settings.listen, self.settings.admin_listen);
        let tls = self.settings.tls.clone();
        let managed = Managed {
            console: self.keys.map(|(keys, default_plan)| KeyConsole {
                keys,
                ledger: Arc::clone(&ledger),
                operations: S::Interface::operations(),
                default_plan,
            }),
            store: self.store,
            token: self.settings.admin_token.clone(),
        };
        let traces = self.settings.traces.as_ref().map(|settings| {
            let origin = Origin {
                service: S::NAME,
                version: self.version,
                server: &self.name,
                scheme: if tls.is_some() { "https" } else { "http" },
            };
            Traces::start(settings, &origin, &self.metrics, self.log.logger())
        });
        let traces = traces.transpose()?;
        let gate = Arc::new(Gate::new(
            self.settings,
            self.interface,
            service,
            authenticator,
            ledger,
            Reporting {
                server_name: self.name.clone(),
                metrics: self.metrics,
                log: self.log,
                traces,
            },
        ));
        if let Some(engine) = gate.service().database().and_then(Database::sqlite) {
            if let Some(Migration { from, to, copy }) = engine.migration() {
                slog::warn!(gate.log(), "the database was migrated; a copy from before is kept";
                    "from" => from, "to" => to, "copy" => %copy.display());
            }
            for path in engine.restricted_files() {
                slog::warn!(gate.log(), "other users could access this file; now only its owner can";
                    "path" => %path.display());
            }
            tokio::spawn(log_faults(engine.watch_fault(), gate.log().clone()));
        }
        if let Some(Database::Postgres(engine)) = gate.service().database() {
            tokio::spawn(log_faults(engine.watch_outage(), gate.log().clone()));
        }
        let public = ServerBuilder::new(self.endpoints, Arc::clone(&gate), gate.dropshot_log())
            .config(ConfigDropshot {
                bind_address: listen,
                // The gate itself keeps a request that writes from being cancelled.
                default_handler_task_mode: HandlerTaskMode::CancelOnDisconnect,
                ..ConfigDropshot::default()
            })
            .tls(self.tls.map(ConfigTls::Dynamic))
            .start()
            .with_context(|| format!("cannot listen on {listen}"))?;
        #[cfg(target_os = "linux")]
        if let Err(error) = prepare_listening_socket(public.local_addr().port()) {
            slog::info!(gate.log(), "connections of vanished clients stay open"; "error" => %error);
        }
        let panel = Panel::start(admin_listen, &self.name, self.version, &gate, managed)?;
        Ok(Server {
            public,
            tls,
            panel,
            gate,
        })
    }
}

impl<S: Service> Server<S> {
    /// The address of the public listener.
    pub fn address(&self) -> SocketAddr {
        self.public.local_addr()
    }

    /// The address of the panel.
    pub fn panel_address(&self) -> SocketAddr {
        self.panel.address()
    }

    /// The URL of the service, with its base path and without a slash at its end.
    pub fn base_url(&self) -> String {
        let scheme = if self.public.using_tls() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}{}", self.address(), self.gate().base_path())
    }

    /// The gate, whose state all requests share.
    pub fn gate(&self) -> &Arc<Gate<S>> {
        &self.gate
    }

    /// Serves requests until SIGTERM or SIGINT, then stops the server; see [`Signals::listen`] for how
    /// long that may take. After SIGTERM it goes on for the drain delay, while `/readyz` answers 503; a second signal ends
    /// the delay. SIGHUP reloads the certificate.
    ///
    /// # Errors
    ///
    /// Those of [`Server::stop`]; if a second signal comes before the last requests are answered; [`DatabaseFailed`] if
    /// the database can no longer be used.
    pub async fn run_until_signal(self, signals: Signals) -> Result<()> {
        let log = self.gate.log().clone();
        let Signals {
            mut stop,
            mut reload,
            drain_delay,
        } = signals;
        let reload_at_each_signal = async {
            while reload.recv().await.is_some() {
                self.reload_certificate().await;
            }
            std::future::pending().await
        };
        let signal = tokio::select! {
            Some(signal) = stop.recv() => signal,
            signal = reload_at_each_signal => signal,
            fault = self.database_failure() => {
                end_process_later(DatabaseFailed::EXIT_CODE, Duration::ZERO);
                // The database is left as it is: no lease is returned, and the log is not copied.
                let idle = self.gate.in_flight.wait_until_idle();
                let _ = tokio::time::timeout(FAILURE_DRAIN_TIMEOUT, idle).await;
                return Err(DatabaseFailed(fault).into());
            }
        };
        slog::info!(log, "stopping"; "signal" => signal);
        if signal == TERMINATE && drain_delay > Duration::ZERO {
            self.panel.mark_draining();
            slog::info!(log, "requests are served until the drain delay has passed";
                "seconds" => drain_delay.as_secs());
            tokio::select! {
                () = tokio::time::sleep(drain_delay) => {}
                () = next_signal(&mut stop) => {}
            }
        }
        tokio::select! {
            stopped = self.stop() => stopped,
            () = next_signal(&mut stop) => {
                anyhow::bail!("stopped by a second signal before the last requests were answered")
            }
        }
    }

    /// Reads the certificate and its key again, and uses them for new connections. If they cannot be used, the previous
    /// ones stay in use. The log says what happened.
    async fn reload_certificate(&self) {
        let log = self.gate.log();
        let Some(files) = self.tls.clone() else {
            slog::info!(log, "there is no certificate to reload"; "signal" => "SIGHUP");
            return;
        };
        let load = tokio::task::spawn_blocking(move || files.load());
        let reloaded = async {
            let tls = ConfigTls::Dynamic(load.await??);
            let refreshed = self.public.refresh_tls(&tls).await;
            refreshed.map_err(anyhow::Error::msg)
        };
        match reloaded.await {
            Ok(()) => slog::info!(log, "the certificate is reloaded"; "signal" => "SIGHUP"),
            Err(error) => {
                slog::error!(log, "the certificate cannot be reloaded; the previous one stays in use";
                    "error" => format!("{error:#}"));
            }
        }
    }

    /// Waits until the database can no longer be used, and returns why.
    async fn database_failure(&self) -> Fault {
        let Some(engine) = self.gate.service().database().and_then(Database::sqlite) else {
            return std::future::pending().await;
        };
        let mut fault = engine.watch_fault();
        let stopped = fault.wait_for(|it| it.as_ref().is_some_and(Fault::stops_reads));
        match stopped.await.ok().and_then(|it| it.clone()) {
            Some(fault) => fault,
            None => std::future::pending().await,
        }
    }

    /// Stops the server: accepts no more connections, responds to the requests in flight, returns leases, and closes
    /// the database.
    ///
    /// Requests that have not arrived completely after 5 seconds are dropped. They have not begun, so nothing of them
    /// is lost. The handlers of WebSockets learn of the stop by [`Gate::stopping`], and have the same time to end. The database is closed in any case.
    ///
    /// # Errors
    ///
    /// If a listener failed before, leases could not be returned, or the database could not be closed.
    pub async fn stop(self) -> Result<()> {
        let Server {
            public,
            panel,
            gate,
            ..
        } = self;
        panel.mark_draining();
        gate.begin_stop();
        // A connection with half a head would delay dropshot for half a minute, though it has no request; so the count
        // of the gate decides.
        let drained = async {
            let closed = tokio::select! {
                closed = public.close() => closed,
                () = gate.in_flight.wait_until_idle() => Ok(()),
            };
            // A write goes on after its connection has closed.
            gate.in_flight.wait_until_none().await;
            closed
        };
        let drained = tokio::time::timeout(DRAIN_TIMEOUT, drained).await;
        let closed = drained.unwrap_or_else(|_| {
            slog::warn!(
                gate.log(),
                "gave up on requests that did not arrive in time, and on WebSockets that did not end"
            );
            Ok(())
        });
        // Everything is closed before the first error is returned.
        let closed = closed
            .map_err(anyhow::Error::msg)
            .context("the listener failed");
        // At the same time, as the collector may be away.
        let (stores, ()) = tokio::join!(close_stores(&gate), gate.close_traces());
        // A connection with half a head would delay it.
        let panel = tokio::time::timeout(PANEL_TIMEOUT, panel.stop()).await;
        closed?;
        stores?;
        panel.unwrap_or(Ok(()))
    }
}

/// Returns leases, stores the usage of operations, and closes the database. All of it is done before the first error is returned.
async fn close_stores<S: Service>(gate: &Gate<S>) -> Result<()> {
    let leases = match gate.limiter() {
        Some(limiter) => limiter.close().await,
        None => Ok(()),
    };
    let usage = tokio::time::timeout(USAGE_TIMEOUT, gate.store_usage()).await;
    if !matches!(usage, Ok(Ok(()))) {
        slog::warn!(
            gate.log(),
            "the usage of operations since its last storage is lost"
        );
    }
    let engine = match gate.service().database() {
        Some(database) => database.close().await,
        None => Ok(()),
    };
    leases.context("cannot return leased requests")?;
    engine.context("cannot close the database")
}

impl Signals {
    /// Starts to listen for the signals. From the first stop signal on the process has 10 seconds to end, whatever hangs:
    /// the start, the disk or the runtime. Then it ends with the exit code [`EXIT_STOP_TIMEOUT`]. After SIGTERM it has the
    /// `drain_delay` in addition, see [`Server::run_until_signal`].
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn listen(drain_delay: Duration) -> Result<Signals> {
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
            .context("cannot listen for SIGTERM and Ctrl-C")?;
        let reload = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
        let (sender, stop) = mpsc::unbounded_channel();
        // A thread, as the runtime may hang.
        std::thread::Builder::new()
            .name("stop-signals".to_owned())
            .spawn(move || {
                for (number, signal) in signals.forever().enumerate() {
                    let (name, delay) = match signal {
                        SIGTERM => (TERMINATE, drain_delay),
                        _ => ("SIGINT", Duration::ZERO),
                    };
                    if number == 0 {
                        end_process_later(EXIT_STOP_TIMEOUT, delay);
                    }
                    // Nobody receives it if the server has ended.
                    let _ = sender.send(name);
                }
            })
            .context("cannot start the thread that waits for stop signals")?;
        Ok(Signals {
            stop,
            reload,
            drain_delay,
        })
    }
}

/// Logs each change of the engine's fault, once.
async fn log_faults<F: Error + 'static>(mut faults: watch::Receiver<Option<F>>, log: Logger) {
    while faults.changed().await.is_ok() {
        match &*faults.borrow_and_update() {
            Some(fault) => {
                slog::error!(log, "the database cannot be used"; "error" => %Causes(fault))
            }
            None => slog::warn!(log, "the database can be used again"),
        }
    }
}

/// Waits for a stop signal after the one that has come.
async fn next_signal(stop: &mut mpsc::UnboundedReceiver<&'static str>) {
    // One signal often comes twice, to the process and to its group.
    tokio::time::sleep(SIGNAL_INTERVAL).await;
    while stop.try_recv().is_ok() {}
    if stop.recv().await.is_none() {
        std::future::pending().await
    }
}

/// Ends the process with this exit code `delay` and [`STOP_TIMEOUT`] from now, unless it has ended before. It uses a thread of
/// its own, as the runtime may hang. `exit` runs no destructors, and does not wait for the locks of the standard streams.
fn end_process_later(code: u8, delay: Duration) {
    let timeout = delay + STOP_TIMEOUT;
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let thread = std::thread::Builder::new().name(name.to_owned());
        // Without memory for a thread, the stop goes on without its limit.
        let _ = thread.spawn(work);
    };
    start(
        "stop-watchdog",
        Box::new(move || {
            std::thread::sleep(timeout);
            std::process::exit(code.into());
        }),
    );
    // Another thread, as standard error may block. A logger here would keep the log from being flushed at the end.
    start(
        "stop-report",
        Box::new(move || {
            std::thread::sleep(timeout - LAST_LINE_TIMEOUT);
            let _ = writeln!(
                std::io::stderr(),
                "the stop takes too long; the process ends"
            );
        }),
    );
}

/// Listens on an address, which `flag` of the command `serve` sets.
fn bind(address: SocketAddr, flag: &str) -> Result<TcpListener> {
    TcpListener::bind(address).map_err(|error| {
        let help = match error.kind() {
            ErrorKind::AddrInUse => "stop what listens there, or choose another port",
            ErrorKind::PermissionDenied => "choose a port from 1024",
            _ => "choose another address",
        };
        anyhow!("cannot listen on {address}: {error}; {help} with {flag}")
    })
}
