//! What a server is started with, whoever starts it: the command line or a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use petstore_api::Plan;

use crate::clock::Clock;
use crate::rate_limit::{Limits, Policy};
use crate::store::EngineConfig;
use crate::tls::Identity;

/// Everything that an operator decides about one server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the public listener binds; port 0 takes a free port.
    pub listen: SocketAddr,
    /// What the public listener proves its name with; without it, it speaks plain HTTP.
    pub tls: Option<Identity>,
    /// Where the panel binds, for the operator alone; port 0 takes a free port.
    pub admin_listen: SocketAddr,
    /// The SQLite database, and the bounds within which it works.
    pub store: EngineConfig,
    /// How requests are limited, apart from the figures of the plans.
    pub policy: Policy,
    /// The networks whose word on `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<IpNet>,
    /// How long the body of a request may take to arrive.
    pub body_timeout: Duration,
    /// Where the server takes the time from.
    pub clock: Arc<dyn Clock>,
    /// How log lines are written.
    pub log_format: LogFormat,
    /// The least severity that is logged.
    pub log_level: LogLevel,
}

/// The usual policy: whoever shows no valid key has the figures of the free plan.
pub fn standard_policy() -> Policy {
    let free = Plan::Free.limits().expect("the free plan has figures");
    Policy::new(Limits {
        per_minute: free.per_minute,
        per_day: free.per_day,
    })
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// For people, coloured on a terminal.
    Terminal,
    /// One JSON object a line.
    Json,
    /// No log at all, for tests.
    #[value(skip)]
    Silent,
}

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogLevel {
    /// Something broke; someone should look.
    Error,
    /// Something odd that the server coped with.
    Warn,
    /// One line a request.
    Info,
    /// What a developer of the server asks for.
    Debug,
}
