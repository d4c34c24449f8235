//! Starts a server: the public listener with the gate, and the panel.

mod stop;

use std::error::Error;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use dropspec_gate::clock::Clock;
use dropspec_gate::gate::{CompiledInterface, Reporting};
use dropspec_gate::logging::{Causes, Log};
use dropspec_gate::metrics::Metrics;
use dropspec_gate::server_name::ServerName;
use dropspec_gate::traces::{Origin, Traces};
use dropspec_gate::{ApiKeys, Database, Gate, Service};
use dropspec_store::sqlite::{Fault, Migration};
use slog::Logger;
use thiserror::Error;
use tokio::sync::watch;

use crate::admin::{Managed, Panel, check_file_limit};
use crate::listener::Listener;
use crate::settings::Settings;
use crate::tls::TlsFiles;

/// What a server serves.
pub struct Backend<S: Service> {
    /// The service, over its open database.
    pub service: S,
    /// What verifies the credentials of requests.
    pub authenticator: Arc<S::Authenticator>,
    /// What stores usage and bans.
    pub ledger: Arc<S::Ledger>,
    /// The keys that the operator can change on the page of the panel, and the plan of a new one. The page shows
    /// the usage that they store, so `ledger` should be the same keys.
    pub keys: Option<(Arc<ApiKeys>, &'static str)>,
    /// The version of the program, for its metrics and traces; empty if it is not known.
    pub version: &'static str,
    /// The clock of the database, if it counts in place of that of the server.
    pub clock: Option<Arc<dyn Clock>>,
}

/// A running server with its public listener and its panel.
pub struct Server<S: Service> {
    public: Listener,
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

impl<S: Service> Backend<S> {
    /// A service without keys that the operator can change.
    pub fn new(
        service: S,
        authenticator: Arc<S::Authenticator>,
        ledger: Arc<S::Ledger>,
    ) -> Backend<S> {
        Backend {
            service,
            authenticator,
            ledger,
            keys: None,
            version: "",
            clock: None,
        }
    }
}

impl<S: Service> Server<S> {
    /// Compiles the interface, reads the certificate, checks that both addresses are free, and only then calls `open`, which
    /// opens the database: so a start that fails before leaves no database behind whose first key is lost. Then starts the
    /// public listener and the panel.
    ///
    /// # Errors
    ///
    /// If the document is not supported, the certificate cannot be used, an address is not free, or the process may open too
    /// few files; and those of `open`.
    pub async fn start(
        settings: Settings,
        open: impl AsyncFnOnce() -> Result<Backend<S>>,
    ) -> Result<Server<S>> {
        check_file_limit()?;
        let metrics = Metrics::default();
        let (listen, admin_listen) = (settings.listen, settings.admin_listen);
        let name = settings.name.clone();
        let name = name.unwrap_or_else(|| ServerName::of_process(listen));
        let log = Log::to_standard_error(settings.log, &name, metrics.dropped_log_lines.clone())
            .context("cannot start the thread of the log")?;
        let mut requests = settings.requests;
        let interface = CompiledInterface::new(S::NAME, &requests.base_path)?;
        let tls = settings.tls.as_ref().map(TlsFiles::load).transpose()?;
        requests.https_only |= tls.is_some();
        // Both at once, as one port cannot serve both.
        let public = bind(listen, "--listen");
        let panel = bind(admin_listen, "--admin-listen");
        drop((public?, panel?));

        let Backend {
            service,
            authenticator,
            ledger,
            keys,
            version,
            clock,
        } = open().await?;
        requests.clock = clock.unwrap_or(requests.clock);
        let managed = Managed::new::<S>(keys, settings.database, settings.admin_token);
        let traces = settings.traces.as_ref().map(|settings| {
            let origin = Origin {
                service: S::NAME,
                version,
                server: &name,
                scheme: if tls.is_some() { "https" } else { "http" },
            };
            Traces::start(settings, &origin, &metrics, log.logger())
        });
        let reporting = Reporting {
            server_name: name.clone(),
            metrics,
            log,
            traces: traces.transpose()?,
        };
        let trusted = requests.trusted_proxies.clone();
        let gate = Gate::new(
            requests,
            interface,
            service,
            authenticator,
            ledger,
            reporting,
        );
        let gate = Arc::new(gate);
        report_database(&gate);
        let public = Listener::start(listen, tls, settings.connections, trusted, &gate)?;
        let url = base_url(&public, &gate);
        let panel = Panel::start(admin_listen, &name, version, &gate, &url, managed)?;
        Ok(Server {
            public,
            tls: settings.tls,
            panel,
            gate,
        })
    }

    /// The address of the public listener.
    pub fn address(&self) -> SocketAddr {
        self.public.address()
    }

    /// The address of the panel.
    pub fn panel_address(&self) -> SocketAddr {
        self.panel.address()
    }

    /// The URL of the service, with its base path and without a slash at its end.
    pub fn base_url(&self) -> String {
        base_url(&self.public, &self.gate)
    }

    /// The gate, whose state all requests share.
    pub fn gate(&self) -> &Arc<Gate<S>> {
        &self.gate
    }
}

fn base_url<S: Service>(public: &Listener, gate: &Gate<S>) -> String {
    let scheme = if public.has_tls() { "https" } else { "http" };
    format!("{scheme}://{}{}", public.address(), gate.base_path())
}

/// Logs what the engine of the database did at its start, and from then on each change of its fault.
fn report_database<S: Service>(gate: &Arc<Gate<S>>) {
    let log = gate.log();
    match gate.service().database() {
        Some(Database::Sqlite(engine)) => {
            if let Some(Migration { from, to, copy }) = engine.migration() {
                slog::warn!(log, "the database was migrated; a copy from before is kept";
                    "from" => from, "to" => to, "copy" => %copy.display());
            }
            for path in engine.restricted_files() {
                slog::warn!(log, "other users could access this file; now only its owner can";
                    "path" => %path.display());
            }
            tokio::spawn(log_faults(engine.watch_fault(), log.clone()));
        }
        #[cfg(feature = "postgres")]
        Some(Database::Postgres(engine)) => {
            tokio::spawn(log_faults(engine.watch_outage(), log.clone()));
        }
        None => {}
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
