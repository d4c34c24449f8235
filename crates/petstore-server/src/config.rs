//! What a server is started with, whoever starts it: the command line or a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::store::StoreConfig;

/// Everything that an operator decides about one server.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the public listener binds; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The SQLite database, and the bounds within which it works.
    pub store: StoreConfig,
    /// How long the body of a request may take to arrive.
    pub body_timeout: Duration,
    /// Where the server takes the time from.
    pub clock: Arc<dyn Clock>,
    /// How log lines are written.
    pub log_format: LogFormat,
    /// The least severity that is logged.
    pub log_level: LogLevel,
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
