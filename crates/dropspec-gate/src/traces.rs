//! Traces: each request that the gate serves is a span of OpenTelemetry, which the SDK exports by OTLP over HTTP. It queues at
//! most 2,048 spans, and exports them in batches of 512 on a thread of its own, so no request waits.
//!
//! A span has the attributes of the conventions for HTTP servers (OpenTelemetry semantic conventions 1.43, "HTTP spans"). It
//! never has a key or a query, and the path and the address of the client only if the log has them, too.
//!
//! Without the cargo feature `otlp` a server cannot be started with traces.

#[cfg(feature = "otlp")]
mod attributes;
#[cfg(not(feature = "otlp"))]
mod disabled;
mod endpoint;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod spans;

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, Version};

#[cfg(not(feature = "otlp"))]
pub(crate) use self::disabled::RequestSpan;
#[cfg(not(feature = "otlp"))]
pub use self::disabled::Traces;
pub use self::endpoint::{OtlpEndpoint, OtlpEndpointError};
#[cfg(feature = "otlp")]
pub(crate) use self::spans::RequestSpan;
#[cfg(feature = "otlp")]
pub use self::spans::Traces;
use crate::server_name::ServerName;

/// How long a span waits for others, so that many are exported at once, usually.
pub const EXPORT_DELAY: Duration = Duration::from_secs(5);

/// Where the spans of requests go, and how many of them.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// The collector.
    pub endpoint: OtlpEndpoint,
    /// The share of the traces that begin at this server which are exported, from 0 to 1. Of a trace that began elsewhere its
    /// beginning has decided.
    pub sample_ratio: f64,
    /// How long a span waits for others; usually [`EXPORT_DELAY`].
    pub export_delay: Duration,
}

/// Who sends the spans: the attributes that all of them share.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The name of the service.
    pub service: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The name of the server.
    pub server: &'a ServerName,
    /// `http` or `https`.
    pub scheme: &'static str,
}

/// What is known of a request when its span begins.
#[cfg_attr(
    not(feature = "otlp"),
    expect(dead_code, reason = "only spans that are exported read it")
)]
pub(crate) struct SpanStart<'a> {
    pub(crate) time: SystemTime,
    pub(crate) request_id: &'a str,
    pub(crate) method: &'a Method,
    pub(crate) version: Version,
    pub(crate) headers: &'a HeaderMap,
    /// The path template of the operation, or the path of the page; `None` if the request selects neither.
    pub(crate) route: Option<Cow<'static, str>>,
    /// The path, if it may be shown.
    pub(crate) path: Option<&'a str>,
    /// The address of the client, if it may be shown.
    pub(crate) client: Option<IpAddr>,
}
