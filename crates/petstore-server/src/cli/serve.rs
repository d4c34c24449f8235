//! `petstore serve`: its flags, and the life of the server process from the
//! first line it prints to the signal that stops it.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use futures::FutureExt;
use ipnet::IpNet;
use tokio::signal::unix::{SignalKind, signal};

use crate::auth::IssuedKey;
use crate::clock::SystemClock;
use crate::config::{self, Config, LogFormat, LogLevel};
use crate::server::Server;
use crate::store::EngineConfig;
use crate::tls::Identity;

/// Signals that come this close together are one.
const SAME_SIGNAL: Duration = Duration::from_millis(200);

/// How long the body of a request may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Serve the petstore until SIGTERM or Ctrl-C.
///
/// The interface is described at /openapi.yaml and /openapi.json. The first
/// start makes the database; a later one carries on with it.
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Address and port to listen on; port 0 takes a free one, which is printed
    #[arg(
        long,
        env = "PETSTORE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    listen: SocketAddr,

    /// Certificate chain of the server (PEM); with it, it speaks HTTPS
    #[arg(
        long,
        env = "PETSTORE_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(
        long,
        env = "PETSTORE_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    tls_key: Option<PathBuf>,

    /// Address and port of the panel: /healthz, /readyz and /metrics. Keep it from the public
    #[arg(
        long,
        env = "PETSTORE_ADMIN_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:9090",
        value_parser = address
    )]
    admin_listen: SocketAddr,

    /// SQLite database file, made when it is missing
    #[arg(
        long,
        env = "PETSTORE_DATABASE",
        value_name = "FILE",
        default_value = "petstore.db"
    )]
    database: PathBuf,

    /// Network of a proxy in front, whose X-Forwarded-For is believed; several with commas or by repetition
    #[arg(
        long = "trusted-proxy",
        env = "PETSTORE_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_delimiter = ',',
        value_parser = network
    )]
    trusted_proxies: Vec<IpNet>,

    /// How log lines are written to standard error
    #[arg(
        long,
        env = "PETSTORE_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "terminal"
    )]
    log_format: LogFormat,

    /// Least severity that is logged
    #[arg(
        long,
        env = "PETSTORE_LOG_LEVEL",
        value_name = "LEVEL",
        default_value = "info"
    )]
    log_level: LogLevel,
}

impl Serve {
    /// Runs the server to its clean end.
    pub fn run(self) -> Result<()> {
        let config = Config {
            listen: self.listen,
            tls: self
                .tls_cert
                .zip(self.tls_key)
                .map(|(certificate, key)| Identity { certificate, key }),
            admin_listen: self.admin_listen,
            store: EngineConfig::at(self.database),
            policy: config::standard_policy(),
            trusted_proxies: self.trusted_proxies,
            body_timeout: BODY_TIMEOUT,
            clock: Arc::new(SystemClock),
            log_format: self.log_format,
            log_level: self.log_level,
        };
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("cannot start the threads of the server")?
            .block_on(serve(config))
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned()
    })
}

/// A network; an address is the network of that one address.
fn network(text: &str) -> Result<IpNet, String> {
    text.parse::<IpAddr>()
        .map(IpNet::from)
        .or_else(|_| text.parse())
        .map_err(|_| "write an address or a network, such as 127.0.0.1 or 10.0.0.0/8".to_owned())
}

async fn serve(config: Config) -> Result<()> {
    // Before the start, so that a signal that comes during it is not lost.
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;

    // Each connection is an open file, and the usual limit of 1,024 is soon reached. A system
    // that refuses leaves us with what we have.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let server = Server::start(&config).await?;
    announce(&server);
    let log = server.service().log.clone();
    // Which database it is, and whether it was there: a server in the wrong folder knows nobody's key.
    let database = std::path::absolute(&config.store.path).unwrap_or(config.store.path);
    slog::info!(log, "started";
        "version" => env!("CARGO_PKG_VERSION"),
        "database" => %database.display(),
        "new_database" => server.first_key().is_some(),
    );

    let signal = tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    };
    slog::info!(log, "stopping"; "signal" => signal);
    let impatient = async {
        // One wish to stop often comes as two signals, to the process and to its group.
        tokio::time::sleep(SAME_SIGNAL).await;
        let _ = (
            terminate.recv().now_or_never(),
            interrupt.recv().now_or_never(),
        );
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    tokio::select! {
        stopped = server.stop() => {
            stopped?;
            slog::info!(log, "stopped");
            Ok(())
        }
        () = impatient => {
            anyhow::bail!("stopped by a second signal before the last requests were answered")
        }
    }
}

/// Says where the server listens. It serves all the same when nobody reads that.
fn announce(server: &Server) {
    let mut words = format!(
        "petstore listens on {}\nits panel is on http://{}/metrics\n",
        server.base_url(),
        server.panel_address(),
    );
    if let Some(first) = server.first_key() {
        words += &first_steps(first, &server.base_url());
    }
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(words.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = written {
        slog::warn!(server.service().log, "standard output cannot be written to"; "error" => %error);
    }
}

/// What whoever starts a new petstore needs next.
fn first_steps(first: &IssuedKey, base_url: &str) -> String {
    format!(
        "\nThe database is new. This is its first API key; it is not shown again:\n\n    \
         curl -H 'X-API-Key: {}' {base_url}/pets\n\n",
        first.key.expose(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_by_its_address_or_its_network() {
        for (text, expected) in [
            ("127.0.0.1", Some("127.0.0.1/32")),
            ("::1", Some("::1/128")),
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("10.0.0.0/33", None),
            ("proxy.example", None),
            ("", None),
        ] {
            let network = network(text).ok().map(|it| it.to_string());
            assert_eq!(network.as_deref(), expected, "{text}");
        }
    }
}
