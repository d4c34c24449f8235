//! The flags of `serve` that limit connections.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::listener::ConnectionLimits;

#[derive(Debug, clap::Args)]
pub(super) struct ConnectionFlags {
    /// Most connections at the same time; by default 8192, or three quarters of the files that may be open if that is less.
    /// When there are so many, a new one takes the place of one that waits for a request
    #[arg(long, value_name = "NUMBER")]
    max_connections: Option<NonZeroUsize>,

    /// Most connections of an address (of IPv6 a /64 network) that is no trusted proxy; by default 512
    #[arg(long, value_name = "NUMBER")]
    max_connections_per_address: Option<NonZeroUsize>,

    /// Time for a TLS handshake, and then for the head of the first request; such as 10s
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "10s",
        value_parser = parse_timeout
    )]
    head_timeout: Duration,
}

impl ConnectionFlags {
    /// The limits that the flags set.
    pub(super) fn limits(&self) -> ConnectionLimits {
        let default = ConnectionLimits::default();
        let per_address = self.max_connections_per_address;
        ConnectionLimits {
            max: self.max_connections.map_or(default.max, NonZeroUsize::get),
            max_per_address: per_address.map_or(default.max_per_address, NonZeroUsize::get),
            head_timeout: self.head_timeout,
            ..default
        }
    }
}

fn parse_timeout(text: &str) -> Result<Duration, String> {
    let timeout = humantime::parse_duration(text).ok();
    timeout
        .filter(|it| !it.is_zero())
        .ok_or_else(|| "write a duration above zero, such as 10s".to_owned())
}
