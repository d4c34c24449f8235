//! What every request can reach: the store, the limiter, the gate, the clock and the log.

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use slog::{Logger, o};

use crate::clock::Clock;
use crate::gate::Gate;
use crate::metrics::Metrics;
use crate::rate_limit::Limiter;
use crate::store::Store;

/// The state of one server, shared by all of its requests.
#[derive(Debug)]
pub struct Service {
    /// The records.
    pub store: Arc<Store>,
    /// How much each caller may still send.
    pub limiter: Limiter<Store>,
    /// The networks whose word on `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<IpNet>,
    /// What is counted of the requests.
    pub metrics: Metrics,
    /// The one door to the operations.
    pub gate: Gate,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// How long the body of a request may take to arrive.
    pub body_timeout: Duration,
    /// Where the server says what it does; see [`Service::log_of`].
    pub log: Logger,
}

impl Service {
    /// The log of one request. dropshot's own would name the client's address.
    pub fn log_of(&self, request_id: &str) -> Logger {
        self.log.new(o!("request_id" => request_id.to_owned()))
    }
}
