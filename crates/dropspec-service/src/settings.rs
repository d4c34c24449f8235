//! The settings of a server, from the command line or from a test.

use std::net::SocketAddr;

use dropspec_gate::logging::LogSettings;
use dropspec_gate::rate_limit::TimeSource;
use dropspec_gate::server_name::ServerName;
use dropspec_gate::traces::TraceSettings;
use dropspec_gate::{DatabaseConfig, RequestPolicy};

use crate::admin::OperatorToken;
use crate::first_key::FirstKeyPolicy;
use crate::limits_argument::LimitsEngine;
use crate::listener::ConnectionLimits;
use crate::tls::TlsFiles;

/// The settings of a server: its listeners, how it treats requests, what it reports, and where its data are.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name of the server in its log and metrics; `None`: see [`ServerName::of_process`].
    pub name: Option<ServerName>,
    /// The address of the public listener; port 0 takes a free port.
    pub listen: SocketAddr,
    /// The certificate of the public listener; without one it serves plain HTTP.
    pub tls: Option<TlsFiles>,
    /// How many connections there may be, and how long they may be silent.
    pub connections: ConnectionLimits,
    /// The address of the panel, for the operator only; port 0 takes a free port.
    pub admin_listen: SocketAddr,
    /// The token that opens the page of the operator; without one only this machine can, if the panel is on a loopback address.
    pub admin_token: Option<OperatorToken>,
    /// How requests are treated.
    pub requests: RequestPolicy,
    /// What is logged, and how.
    pub log: LogSettings,
    /// Where the spans of requests go; `None` if there are none.
    pub traces: Option<TraceSettings>,
    /// Where the database is; `None` if the service has none.
    pub database: Option<DatabaseConfig>,
    /// The engine that counts requests for several servers; `None` if the database counts them.
    pub limits: Option<LimitsEngine>,
    /// By whose clock the windows of keys begin and end, if an engine that several servers can use counts them.
    pub time: TimeSource,
    /// What is done with the first API key.
    pub first_key: FirstKeyPolicy,
}

impl Settings {
    /// A server on free ports of this machine, without a log, a database and limits, for tests.
    pub fn on_free_ports() -> Settings {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        Settings {
            name: None,
            listen: any,
            tls: None,
            connections: ConnectionLimits::default(),
            admin_listen: any,
            admin_token: None,
            requests: RequestPolicy::default(),
            log: LogSettings::SILENT,
            traces: None,
            database: None,
            limits: None,
            time: TimeSource::Caller,
            first_key: FirstKeyPolicy::Return,
        }
    }
}
