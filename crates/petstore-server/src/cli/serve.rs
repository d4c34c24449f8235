//! `petstore serve`: its flags, and the life of the server process from the
//! first line it prints to the signal that stops it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ipnet::IpNet;
use tokio::signal::unix::{SignalKind, signal};

use crate::auth::IssuedKey;
use crate::clock::SystemClock;
use crate::config::{self, Config, LogFormat, LogLevel};
use crate::server::Server;
use crate::store::StoreConfig;
use crate::tls::Identity;

/// How long requests in flight may take to finish once the process was told to stop.
const DRAIN: Duration = Duration::from_secs(10);

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
        default_value = "127.0.0.1:8080"
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
        default_value = "127.0.0.1:9090"
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

    /// Network of a proxy in front, whose X-Forwarded-For is believed; may be repeated
    #[arg(
        long = "trusted-proxy",
        env = "PETSTORE_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_delimiter = ','
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
            store: StoreConfig::at(self.database),
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

async fn serve(config: Config) -> Result<()> {
    // Before the start, so that a signal that comes during it is not lost.
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for Ctrl-C")?;

    // Each connection is an open file, and the usual limit of 1,024 is soon reached. A system
    // that refuses leaves us with what we have.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let server = Server::start(&config).await?;
    println!("petstore listens on {}", server.base_url());
    println!("its panel is on http://{}/metrics", server.panel_address());
    if let Some(first) = server.first_key() {
        println!("{}", first_steps(first, &server.base_url()));
    }

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    // A second signal takes the default way out for those who cannot wait.
    tokio::select! {
        stopped = tokio::time::timeout(DRAIN, server.stop()) => {
            stopped.unwrap_or_else(|_| anyhow::bail!("requests were still running after {} seconds", DRAIN.as_secs()))
        }
        _ = terminate.recv() => anyhow::bail!("stopped by a second signal before the last requests were answered"),
        _ = interrupt.recv() => anyhow::bail!("stopped by a second signal before the last requests were answered"),
    }
}

/// What whoever starts a new petstore needs next.
fn first_steps(first: &IssuedKey, base_url: &str) -> String {
    format!(
        "\nThe database is new. This is its first API key; it is not shown again:\n\n    \
         curl -H 'X-API-Key: {}' {base_url}/pets\n",
        first.key.expose(),
    )
}
