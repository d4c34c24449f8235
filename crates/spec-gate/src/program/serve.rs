//! The command `serve`: its flags, and the server process from start to stop.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use ipnet::IpNet;
use slog::Logger;

use super::database_argument::DatabaseArgument;
use super::limits_argument::LimitsArgument;
use super::panel_argument::{PanelArgument, parse_address};
use super::{Config, Program, first_steps, limiter_policy, start};
use crate::clock::SystemClock;
use crate::keys::IssuedKey;
use crate::logging::{LogFormat, LogLevel, LogSettings};
use crate::rate_limit::{LimiterPolicy, WithoutLedger};
use crate::server::{Server, Signals};
use crate::settings::{MAX_BODY, MAX_RAW_BODY, Settings};
use crate::tls::TlsFiles;

/// How long the body of a request may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

const DEFAULT_MAX_BODY: NonZeroUsize = NonZeroUsize::new(MAX_BODY).expect("it is not zero");
const DEFAULT_MAX_RAW_BODY: NonZeroUsize = NonZeroUsize::new(MAX_RAW_BODY).expect("it is not zero");

/// How long tasks may take to end after the server stopped. They have nothing left to do.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Serve the {name} until SIGTERM or Ctrl-C. SIGHUP reloads the certificate.
///
/// The interface is described at /openapi.yaml and /openapi.json. The first start creates the database; later starts use it.
#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    /// Address and port to listen on; port 0 chooses a free port, which is printed
    #[arg(
        long,
        env = "{prefix}_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = parse_address
    )]
    listen: SocketAddr,

    /// Certificate chain of the server (PEM); with it, it speaks HTTPS
    #[arg(
        long,
        env = "{prefix}_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(
        long,
        env = "{prefix}_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    tls_key: Option<PathBuf>,

    #[command(flatten)]
    panel: PanelArgument,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    limits: LimitsArgument,

    /// Network of a trusted proxy, whose X-Forwarded-For gives the client's address; several with commas or by repetition
    #[arg(
        long = "trusted-proxy",
        env = "{prefix}_TRUSTED_PROXY",
        value_name = "NETWORK",
        value_delimiter = ',',
        value_parser = parse_network
    )]
    trusted_proxies: Vec<IpNet>,

    /// What happens to requests of keys while the usage of keys cannot be stored (a full disk, a locked database, no answer from Redis)
    #[arg(
        long,
        env = "{prefix}_WITHOUT_LEDGER",
        value_name = "ACTION",
        default_value = "refuse"
    )]
    without_ledger: WithoutLedger,

    /// Largest body that is decoded (JSON, forms, texts), in bytes; `x-max-body-bytes` of an operation overrides it
    #[arg(
        long,
        env = "{prefix}_MAX_BODY",
        value_name = "BYTES",
        default_value_t = DEFAULT_MAX_BODY
    )]
    max_body: NonZeroUsize,

    /// Largest body that the service reads as a stream (files, multipart forms), in bytes; `x-max-body-bytes` overrides it
    #[arg(
        long,
        env = "{prefix}_MAX_RAW_BODY",
        value_name = "BYTES",
        default_value_t = DEFAULT_MAX_RAW_BODY
    )]
    max_raw_body: NonZeroUsize,

    /// How log lines are written to standard error
    #[arg(
        long,
        env = "{prefix}_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "terminal"
    )]
    log_format: LogFormat,

    /// Least severity that is logged
    #[arg(
        long,
        env = "{prefix}_LOG_LEVEL",
        value_name = "LEVEL",
        default_value = "info"
    )]
    log_level: LogLevel,

    /// Log one of this many requests that succeed within 250 ms; every other request has its line
    #[arg(
        long,
        env = "{prefix}_LOG_SAMPLE",
        value_name = "NUMBER",
        default_value = "1",
        value_parser = parse_sample
    )]
    log_sample: NonZeroU32,
}

impl Serve {
    /// Runs the server until a signal stops it.
    ///
    /// # Errors
    ///
    /// If the server cannot start, its database fails, or it does not stop properly.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        let tls = self.tls_cert.zip(self.tls_key);
        let config = Config {
            server: Settings {
                listen: self.listen,
                tls: tls.map(|(certificate, key)| TlsFiles { certificate, key }),
                admin_listen: self.panel.admin_listen,
                limits: Some(LimiterPolicy {
                    without_ledger: self.without_ledger,
                    ..limiter_policy::<P>()
                }),
                trusted_proxies: self.trusted_proxies,
                body_timeout: BODY_TIMEOUT,
                max_body: self.max_body.get(),
                max_raw_body: self.max_raw_body.get(),
                clock: Arc::new(SystemClock),
                log: LogSettings {
                    format: self.log_format,
                    level: self.log_level,
                    sample: self.log_sample,
                },
            },
            store: self.database.config()?,
            limits: self.limits.limits,
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .context("cannot start the threads of the server")?;
        let served = runtime.block_on(serve::<P>(config));
        // Ends all tasks, so that nothing is logged after the last line.
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        let log = served?;
        slog::info!(log, "stopped");
        // A task that hangs keeps the log open, and the process would end without its last lines.
        let _ = log.flush();
        Ok(())
    }
}

/// Parses an IP address or a network such as `10.0.0.0/8`. An address becomes the network of that address only.
fn parse_network(text: &str) -> Result<IpNet, String> {
    text.parse::<IpAddr>()
        .map(IpNet::from)
        .or_else(|_| text.parse())
        .map_err(|_| "write an address or a network, such as 127.0.0.1 or 10.0.0.0/8".to_owned())
}

fn parse_sample(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| "write a whole number from 1 to 4294967295".to_owned())
}

/// Serves requests until a signal, and returns the log.
async fn serve<P: Program>(config: Config) -> Result<Logger> {
    // Before the start, so that a signal during the start is not lost.
    let signals = Signals::listen()?;

    // Each connection is an open file, and the usual limit of 1,024 is soon reached. If the system refuses, the limit
    // stays as it is.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let is_new = config.store.is_missing();
    let (server, first_key) = start::<P>(&config).await?;
    announce(&server, is_new, first_key.as_ref());
    // Which database it is, and whether it is new: a server in the wrong folder knows no key.
    slog::info!(server.gate().log(), "started";
        "version" => P::settings().version,
        "database" => %config.store,
        "new_database" => is_new,
    );
    let log = server.gate().log().clone();
    if is_unprotected(&config.server) {
        slog::warn!(log, "other machines can connect, and no proxy is trusted: nothing limits connections, \
            handshakes and slow clients; see docs/operations.md"; "listen" => config.server.listen);
    }
    server.run_until_signal(signals).await?;
    Ok(log)
}

/// Whether clients of other machines connect without a proxy, as far as the settings show.
fn is_unprotected(settings: &Settings) -> bool {
    let address = settings.listen.ip().to_canonical();
    !address.is_loopback() && settings.trusted_proxies.is_empty()
}

/// Prints the addresses of the server, and at the first start a request to begin with. If standard output fails, the server
/// continues.
fn announce<P: Program>(server: &Server<P>, is_new: bool, first_key: Option<&IssuedKey>) {
    let base_url = server.base_url();
    let mut text = format!(
        "{} listens on {base_url}\nits panel is on http://{}/metrics\n",
        P::NAME,
        server.panel_address(),
    );
    if is_new || first_key.is_some() {
        let key = first_key.map(|first| first.key.expose());
        text += &first_steps::describe::<P::Interface>(&base_url, key);
    }
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    if let Err(error) = written {
        slog::warn!(server.gate().log(), "standard output cannot be written to"; "error" => %error);
    }
}

#[cfg(test)]
mod tests {
    use spec_runtime::RateLimits;
    use sqlite_engine::EngineConfig;

    use super::*;

    #[test]
    fn proxy_is_an_address_or_a_network() {
        for (text, expected) in [
            ("127.0.0.1", Some("127.0.0.1/32")),
            ("::1", Some("::1/128")),
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("10.0.0.0/33", None),
            ("proxy.example", None),
            ("", None),
        ] {
            let network = parse_network(text).ok().map(|it| it.to_string());
            assert_eq!(network.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn waits_of_a_request_end_before_a_proxy_gives_up() {
        let store = EngineConfig::new("db");
        let read = store.read_timeout + store.busy_timeout;
        let ledger = LimiterPolicy::new(RateLimits {
            per_minute: 1,
            per_day: 1,
        });
        let ledger = ledger.ledger_timeout;
        let waits = read + ledger + BODY_TIMEOUT + store.write_timeout.max(read);
        // `proxy_read_timeout` in docs/proxy/nginx.conf, `timeout server` in haproxy.cfg.
        assert!(waits < Duration::from_secs(30), "{waits:?}");
    }
}
