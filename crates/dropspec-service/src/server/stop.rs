//! Runs a server until a signal, and stops it.

use std::time::Duration;

use anyhow::{Context, Result};
use dropspec_gate::{Database, Gate, Service};
use dropspec_store::sqlite::Fault;

use super::{DatabaseFailed, Server};
use crate::signals::{Signals, StopSignal, end_process_later};

/// The time for storing the usage of operations at the stop.
const USAGE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long requests in flight may take to finish after the stop began. It leaves time for the database to close within
/// the ten seconds of a stop, even if another process locks it.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// How long requests in flight may take to get their responses after the database failed.
const FAILURE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the panel may take to close its connections.
const PANEL_TIMEOUT: Duration = Duration::from_millis(500);

impl<S: Service> Server<S> {
    /// Serves requests until SIGTERM or SIGINT, then stops the server; see [`Signals::listen`] for how
    /// long that may take. After SIGTERM it goes on for the drain delay, while `/readyz` answers 503 and each response ends its
    /// connection; a second signal ends the delay. SIGHUP reloads the certificate.
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
            signal = stop.first() => signal,
            signal = reload_at_each_signal => signal,
            fault = self.database_failure() => {
                end_process_later(DatabaseFailed::EXIT_CODE, Duration::ZERO);
                // The database is left as it is: no lease is returned, and the log is not copied.
                let idle = self.gate.in_flight.wait_until_quiet();
                let _ = tokio::time::timeout(FAILURE_DRAIN_TIMEOUT, idle).await;
                return Err(DatabaseFailed(fault).into());
            }
        };
        slog::info!(log, "stopping"; "signal" => signal.name());
        if signal == StopSignal::Terminate && drain_delay > Duration::ZERO {
            self.panel.mark_draining();
            self.public.drain();
            slog::info!(log, "requests are served until the drain delay has passed";
                "seconds" => drain_delay.as_secs());
            tokio::select! {
                () = tokio::time::sleep(drain_delay) => {}
                () = stop.next() => {}
            }
        }
        tokio::select! {
            stopped = self.stop() => stopped,
            () = stop.next() => {
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
            self.public.replace_tls(load.await??);
            anyhow::Ok(())
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
    /// If leases could not be returned, or the database could not be closed.
    pub async fn stop(self) -> Result<()> {
        let Server {
            mut public,
            panel,
            gate,
            ..
        } = self;
        panel.mark_draining();
        gate.begin_stop();
        let drained = async {
            public.stop().await;
            // A write goes on after its connection has closed.
            gate.in_flight.wait_until_none().await;
        };
        if tokio::time::timeout(DRAIN_TIMEOUT, drained).await.is_err() {
            slog::warn!(
                gate.log(),
                "gave up on requests that did not arrive in time, and on WebSockets that did not end"
            );
        }
        drop(public);
        // At the same time, as the collector may be away.
        let (stores, ()) = tokio::join!(close_stores(&gate), gate.close_traces());
        // A connection with half a head would delay it.
        let panel = tokio::time::timeout(PANEL_TIMEOUT, panel.stop()).await;
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
