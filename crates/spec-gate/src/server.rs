//! Starts and stops a server: the public listener with the gate, and the panel.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use dropshot::{
    ApiDescription, ConfigDropshot, ConfigTls, HandlerTaskMode, HttpServer, RawTlsConfig,
    ServerBuilder,
};
use futures::FutureExt;
use slog::Logger;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::gate::{CompiledInterface, Gate, Service, describe_endpoints};
use crate::logging::{dropshot_logger, logger};
use crate::panel::Panel;
use crate::settings::Settings;
use crate::tls::TlsFiles;

/// How long requests in flight may take to finish after the stop began. It leaves time for the database to close within
/// the 10 s that a stop may take.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(8);

/// The time within which several stop signals count as one.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(200);

/// A server before its start, after everything that can fail without the database has succeeded.
pub struct Setup<S: Service> {
    settings: Settings,
    interface: CompiledInterface,
    endpoints: ApiDescription<Arc<Gate<S>>>,
    tls: Option<RawTlsConfig>,
    log: Logger,
}

/// A running server with its public listener and its panel.
pub struct Server<S: Service> {
    public: HttpServer<Arc<Gate<S>>>,
    panel: Panel,
    gate: Arc<Gate<S>>,
}

/// The signals that stop a server, SIGTERM and SIGINT. Register them before the start, so that a signal during the
/// start is not lost.
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl<S: Service> Setup<S> {
    /// Compiles the interface, reads the certificate, and checks that both addresses are free. Call it before the
    /// database is created, so that a start that fails leaves no database behind whose first key is lost.
    ///
    /// # Errors
    ///
    /// If the document is not supported, the certificate cannot be used, or an address is not free.
    pub fn new(settings: Settings) -> Result<Setup<S>> {
        let log = logger(settings.log_format, settings.log_level);
        let interface = CompiledInterface::new::<S::Interface>()?;
        let endpoints = describe_endpoints::<S>()?;
        let tls = settings.tls.as_ref().map(TlsFiles::load).transpose()?;
        // Both at once, as one port cannot serve both.
        let [public, panel] = [settings.listen, settings.admin_listen].map(|address| {
            TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))
        });
        drop((public?, panel?));
        Ok(Setup {
            settings,
            interface,
            endpoints,
            tls,
            log,
        })
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
        let gate = Arc::new(Gate::new(
            self.settings,
            self.interface,
            service,
            authenticator,
            ledger,
            self.log,
        ));
        let log = dropshot_logger(gate.log());
        let public = ServerBuilder::new(self.endpoints, Arc::clone(&gate), log)
            .config(ConfigDropshot {
                bind_address: listen,
                default_handler_task_mode: HandlerTaskMode::Detached,
                ..ConfigDropshot::default()
            })
            .tls(self.tls.map(ConfigTls::Dynamic))
            .start()
            .with_context(|| format!("cannot listen on {listen}"))?;
        let panel = Panel::start(admin_listen, &gate)?;
        Ok(Server {
            public,
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

    /// The URL of the public listener, without a slash at its end.
    pub fn base_url(&self) -> String {
        let scheme = if self.public.using_tls() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address())
    }

    /// The gate, whose state all requests share.
    pub fn gate(&self) -> &Arc<Gate<S>> {
        &self.gate
    }

    /// Serves requests until SIGTERM or SIGINT, then stops the server.
    ///
    /// # Errors
    ///
    /// Those of [`Server::stop`], and if a second signal comes before the last requests are answered.
    pub async fn run_until_signal(self, mut signals: StopSignals) -> Result<()> {
        let log = self.gate.log().clone();
        let signal = signals.recv().await;
        slog::info!(log, "stopping"; "signal" => signal);
        let second_signal = async {
            // One signal often comes twice, to the process and to its group.
            tokio::time::sleep(SIGNAL_INTERVAL).await;
            let _ = (
                signals.terminate.recv().now_or_never(),
                signals.interrupt.recv().now_or_never(),
            );
            signals.recv().await
        };
        tokio::select! {
            stopped = self.stop() => {
                stopped?;
                slog::info!(log, "stopped");
                Ok(())
            }
            _ = second_signal => {
                anyhow::bail!("stopped by a second signal before the last requests were answered")
            }
        }
    }

    /// Stops the server: accepts no more connections, responds to the requests in flight, returns leases, and closes
    /// the database.
    ///
    /// Requests that have not arrived completely after 8 seconds are dropped. They have not begun, so nothing of them
    /// is lost. The database is closed in any case.
    ///
    /// # Errors
    ///
    /// If a listener failed before, leases could not be returned, or the database could not be closed.
    pub async fn stop(self) -> Result<()> {
        let Server {
            public,
            panel,
            gate,
        } = self;
        panel.mark_draining();
        // A connection with half a head would delay dropshot for half a minute, though it has no request; so the count
        // of the gate decides.
        let closed = tokio::select! {
            closed = public.close() => closed,
            () = gate.in_flight.wait_until_idle() => Ok(()),
            () = tokio::time::sleep(DRAIN_TIMEOUT) => {
                slog::warn!(gate.log(), "gave up on requests that did not arrive in time");
                Ok(())
            }
        };
        // Everything is closed before the first error is returned.
        let closed = closed
            .map_err(anyhow::Error::msg)
            .context("the listener failed");
        let leases = match gate.limiter() {
            Some(limiter) => limiter.close().await,
            None => Ok(()),
        };
        let engine = match gate.service().engine() {
            Some(engine) => engine.close().await,
            None => Ok(()),
        };
        let panel = panel.stop().await;
        closed?;
        leases.context("cannot return leased requests")?;
        engine.context("cannot close the database")?;
        panel
    }
}

impl StopSignals {
    /// Starts to listen for SIGTERM and SIGINT.
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn listen() -> Result<StopSignals> {
        Ok(StopSignals {
            terminate: signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?,
            interrupt: signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?,
        })
    }

    /// Waits for the next signal, and returns its name.
    async fn recv(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
