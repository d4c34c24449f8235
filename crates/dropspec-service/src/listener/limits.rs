//! The limits of connections.

use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// How many connections there may be, and how long they may be silent.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections in all.
    pub max: usize,
    /// Connections of an address (of IPv6 a /64 network). Trusted proxies have as many as there are in all.
    pub max_per_address: usize,
    /// The time for a TLS handshake, and then for the whole head of the first request.
    pub head_timeout: Duration,
    /// The time from a response to the whole head of the next request.
    pub idle_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        // The command `serve` raises the limit to that.
        let files = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
        let files = usize::try_from(files).unwrap_or(usize::MAX);
        ConnectionLimits {
            max: usize::min(8192, files / 4 * 3),
            // Many users may be behind one address.
            max_per_address: 512,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(30),
        }
    }
}
