//! How a gate treats requests: its path, limits, sizes, waits and clock.

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;

use crate::base_path::BasePath;
use crate::clock::{Clock, SystemClock};
use crate::cors::CorsOrigin;
use crate::rate_limit::LimiterPolicy;

/// The usual value of [`RequestPolicy::max_body`]: 64 KiB.
pub const MAX_BODY: usize = 64 * 1024;

/// The usual value of [`RequestPolicy::max_raw_body`]: 64 MiB.
pub const MAX_RAW_BODY: usize = 64 * 1024 * 1024;

/// The usual value of [`RequestPolicy::body_timeout`].
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// How a gate treats requests.
#[derive(Clone, Debug)]
pub struct RequestPolicy {
    /// The path below which everything is served.
    pub base_path: BasePath,
    /// Whether browsers are told to use HTTPS only. A server with a certificate always tells them.
    pub https_only: bool,
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
}

/// Everything below `/`, no limits, no proxies, no other sites, the usual sizes, and the clock of the system.
impl Default for RequestPolicy {
    fn default() -> RequestPolicy {
        RequestPolicy {
            base_path: BasePath::default(),
            https_only: false,
            limits: None,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            body_timeout: BODY_TIMEOUT,
            max_body: MAX_BODY,
            max_raw_body: MAX_RAW_BODY,
            clock: Arc::new(SystemClock),
        }
    }
}
