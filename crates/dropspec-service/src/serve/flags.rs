//! The flags of the command `serve`, and the settings that they make.

use std::io::{self, IsTerminal};
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use dropspec_gate::RequestPolicy;
use dropspec_gate::base_path::BasePath;
use dropspec_gate::cors::CorsOrigin;
use dropspec_gate::logging::{LogField, LogFormat, LogLevel, LogSettings};
use dropspec_gate::rate_limit::{LimiterPolicy, TimeSource, WithoutLedger};
use dropspec_gate::request_policy::{MAX_BODY, MAX_RAW_BODY};
use dropspec_gate::server_name::ServerName;
use ipnet::IpNet;

use super::backup_flags::BackupFlags;
use super::connection_flags::ConnectionFlags;
use crate::admin::OperatorToken;
use crate::backups::BackupSchedule;
use crate::database_argument::DatabaseArgument;
use crate::first_key::FirstKeyPolicy;
use crate::limits_argument::LimitsArgument;
use crate::otlp_arguments::OtlpArguments;
use crate::panel_argument::{PanelArgument, parse_address};
use crate::program::{Program, limiter_policy};
use crate::settings::Settings;
use crate::tls::TlsFiles;

const DEFAULT_MAX_BODY: NonZeroUsize = NonZeroUsize::new(MAX_BODY).expect("it is not zero");
const DEFAULT_MAX_RAW_BODY: NonZeroUsize = NonZeroUsize::new(MAX_RAW_BODY).expect("it is not zero");

/// The longest time for which a stop can be put off.
const MAX_DRAIN_DELAY: Duration = Duration::from_secs(60 * 60);

/// Serve the {name} until SIGTERM or Ctrl-C. SIGHUP reloads the certificate.
///
/// The interface is described at /openapi.yaml and /openapi.json. The first start creates the database; later starts use it.
#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Address and port to listen on; port 0 chooses a free port, which is printed
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = parse_address
    )]
    listen: SocketAddr,

    /// Path below which everything is served, such as /v1, if the URL of the service has one; by default nothing
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true
    )]
    base_path: BasePath,

    /// Name of this server in its log and metrics; by default the host's name and the port
    #[arg(long, value_name = "NAME")]
    server_name: Option<ServerName>,

    /// Certificate chain of the server (PEM); with it, it speaks HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    #[command(flatten)]
    connections: ConnectionFlags,

    #[command(flatten)]
    panel: PanelArgument,

    /// File with a token of 16 characters or more, the password of the page of the operator. Without it the page is refused unless the panel is on a loopback address
    #[arg(long, value_name = "FILE")]
    admin_token_file: Option<PathBuf>,

    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    limits: LimitsArgument,

    /// Network of a trusted proxy, whose X-Forwarded-For gives the client's address; several with commas or by repetition
    #[arg(
        long = "trusted-proxy",
        value_name = "NETWORK",
        value_delimiter = ',',
        value_parser = parse_network
    )]
    trusted_proxies: Vec<IpNet>,

    /// Origin of a site whose pages may call the service, such as https://shop.example, or * for all; several with commas or by repetition
    #[arg(long = "cors-origin", value_name = "ORIGIN", value_delimiter = ',')]
    cors_origins: Vec<CorsOrigin>,

    /// What happens to requests of keys while the usage of keys cannot be stored (a full disk, a locked database, no answer from Redis)
    #[arg(long, value_name = "ACTION", default_value = "refuse")]
    without_ledger: WithoutLedger,

    /// Largest body that is decoded (JSON, forms, texts), in bytes; `x-max-body-bytes` of an operation overrides it
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = DEFAULT_MAX_BODY
    )]
    max_body: NonZeroUsize,

    /// Largest body that the service reads as a stream (files, multipart forms), in bytes; `x-max-body-bytes` overrides it
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = DEFAULT_MAX_RAW_BODY
    )]
    max_raw_body: NonZeroUsize,

    /// How log lines are written to standard error
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    log_format: LogFormat,

    /// Least severity that is logged
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: LogLevel,

    /// Log one of this many requests that succeed within 250 ms; every other request has its line
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "1",
        value_parser = parse_sample
    )]
    log_sample: NonZeroU32,

    /// What the log line of a request names beside its operation; several with commas. Addresses of clients are personal
    /// data, and a path may hold what a client has written there
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    log_fields: Vec<LogField>,

    #[command(flatten)]
    otlp: OtlpArguments,

    /// How long the server goes on to serve requests after SIGTERM, while /readyz answers 503, so that a load balancer
    /// notices; such as 15s
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "0s",
        value_parser = parse_drain_delay
    )]
    pub(super) drain_delay: Duration,

    /// File to create for the first API key, which only its owner can read. Without it the key is printed if standard output
    /// is a terminal, and otherwise none is created
    #[arg(long, value_name = "FILE")]
    first_key_file: Option<PathBuf>,

    #[command(flatten)]
    pub(super) backups: BackupFlags,

    /// Check the settings and the files that they name, and do not start
    #[arg(long)]
    pub(super) check: bool,
}

impl Serve {
    /// The settings with which the server starts, and when and where backups are made, if they are.
    pub(super) fn settings<P: Program>(self) -> Result<(Settings, Option<BackupSchedule>)> {
        let tls = match (self.tls_cert, self.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key }),
            (None, None) => None,
            // Of the command line, clap says it; of a file with settings it cannot.
            (Some(_), None) => bail!("tls-cert needs tls-key, the private key of the certificate"),
            (None, Some(_)) => bail!("tls-key needs tls-cert, the certificate of the key"),
        };
        let admin_token = self.admin_token_file.as_deref();
        let admin_token = admin_token.map(OperatorToken::read).transpose()?;
        let first_key = match self.first_key_file {
            Some(file) => FirstKeyPolicy::File(file),
            None if io::stdout().is_terminal() => FirstKeyPolicy::Return,
            None => FirstKeyPolicy::Skip,
        };
        let requests = RequestPolicy {
            base_path: self.base_path,
            limits: Some(LimiterPolicy {
                without_ledger: self.without_ledger,
                ..limiter_policy::<P>()
            }),
            trusted_proxies: self.trusted_proxies,
            cors_origins: self.cors_origins,
            max_body: self.max_body.get(),
            max_raw_body: self.max_raw_body.get(),
            ..RequestPolicy::default()
        };
        let settings = Settings {
            name: self.server_name,
            listen: self.listen,
            tls,
            connections: self.connections.limits(),
            admin_listen: self.panel.admin_listen,
            admin_token,
            requests,
            log: LogSettings {
                format: self.log_format,
                level: self.log_level,
                sample: self.log_sample,
                client: self.log_fields.contains(&LogField::Client),
                path: self.log_fields.contains(&LogField::Path),
            },
            traces: self.otlp.settings(),
            database: Some(self.database.config()?),
            limits: self.limits.limits,
            time: TimeSource::Engine,
            first_key,
        };
        Ok((settings, self.backups.schedule()))
    }
}

/// Parses how long a stop is put off. An orchestrator kills a process that takes much longer.
fn parse_drain_delay(text: &str) -> Result<Duration, String> {
    let delay = humantime::parse_duration(text).ok();
    delay
        .filter(|it| *it <= MAX_DRAIN_DELAY)
        .ok_or_else(|| "write a duration of at most an hour, such as 15s or 1m".to_owned())
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

#[cfg(test)]
mod tests;
