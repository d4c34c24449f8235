//! The settings of a server, from the command line or from a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;

use crate::base_path::BasePath;
use crate::clock::Clock;
use crate::cors::CorsOrigin;
use crate::logging::LogSettings;
use crate::operator_token::OperatorToken;
use crate::rate_limit::LimiterPolicy;
use crate::server_name::ServerName;
use crate::tls::TlsFiles;
use crate::traces::TraceSettings;

/// The usual value of [`Settings::max_body`]: 64 KiB.
pub const MAX_BODY: usize = 64 * 1024;

/// The usual value of [`Settings::max_raw_body`]: 64 MiB.
pub const MAX_RAW_BODY: usize = 64 * 1024 * 1024;

/// The settings of a server: addresses, TLS, limits, timeouts, log.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the server in its log and metrics; `None`: see [`ServerName::of_process`].
    pub name: Option<ServerName>,
    /// The address of the public listener; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The path below which everything is served.
    pub base_path: BasePath,
    /// The certificate of the public listener; without one it serves plain HTTP.
    pub tls: Option<TlsFiles>,
    /// The address of the panel, for the operator only; port 0 takes a free port.
    pub admin_listen: SocketAddr,
    /// The token that opens the page of the operator; without one only this machine can, if the panel is on a loopback address.
    pub admin_token: Option<OperatorToken>,
    /// How requests are limited, apart from the limits of plans; `None` if nothing is limited.
    pub limits: Option<LimiterPolicy>,
    /// The networks of trusted proxies: their `X-Forwarded-For` gives the address of the client.
    pub trusted_proxies: Vec<IpNet>,
    /// The origins whose pages may call the service; none: those of no other site.
    pub cors_origins: Vec<CorsOrigin>,
    /// How long the body of a request may take to arrive; of a body that the handler reads, each part of it.
    pub body_timeout: Duration,
    /// The largest body that is decoded (JSON, forms, texts), in bytes, unless the document declares `x-max-body-bytes`.
    pub max_body: usize,
    /// The largest body that a handler reads itself (files, multipart forms), in bytes, unless the document declares
    /// `x-max-body-bytes`.
    pub max_raw_body: usize,
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// What is logged, and how.
    pub log: LogSettings,
    /// Where the spans of requests go; `None` if there are none.
    pub traces: Option<TraceSettings>,
}
