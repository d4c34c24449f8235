//! API keys on PostgreSQL. Several servers may use them at the same time: what one changes holds on all others within
//! [`MAX_AGE`].

mod adjust;
mod clock;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dropspec_rate_limit::{EngineTime, LAST_WAIT, Notice, TimeSource, parse_notice};
use dropspec_store::postgres::{NotifyChannel, NotifyEvent, OpenError, PostgresEngine};

use super::cache::Version;
use super::holder::new_holder;

/// The migrations that create the tables of API keys on PostgreSQL.
pub const POSTGRES_KEY_TABLES: &[&str] = &[
    include_str!("../../migrations/postgres/api_keys.sql"),
    include_str!("../../migrations/postgres/operation_usage.sql"),
    include_str!("../../migrations/postgres/key_log.sql"),
];

/// For so long a server uses keys that it has read before it asks whether any has changed.
const MAX_AGE: Duration = Duration::from_millis(500);

/// The channel of notices between servers.
const CHANNEL: &str = "spec_gate_limits";

/// The tables of API keys in a PostgreSQL database.
#[derive(Debug)]
pub(super) struct PostgresKeys {
    pub(super) engine: Arc<PostgresEngine>,
    start: Instant,
    /// The name under which this process holds leases. Each start has another one.
    holder: String,
    /// Notices between servers, once this one listens.
    channel: OnceLock<Result<NotifyChannel, OpenError>>,
    /// How long a claim waits the last time for servers that do not give back what they hold.
    pub(super) last_wait: Duration,
    /// By whose clock windows begin and end.
    pub(super) source: TimeSource,
    pub(super) time: EngineTime,
    /// The changes of keys that this process has made.
    own_changes: AtomicU64,
}

impl PostgresKeys {
    pub(super) fn new(engine: Arc<PostgresEngine>) -> PostgresKeys {
        PostgresKeys {
            engine,
            start: Instant::now(),
            holder: new_holder(),
            channel: OnceLock::new(),
            last_wait: LAST_WAIT,
            source: TimeSource::Caller,
            time: EngineTime::new(),
            own_changes: AtomicU64::new(0),
        }
    }

    /// What is read now is used until the period of [`MAX_AGE`] ends, or this process changes a key.
    pub(super) fn version(&self) -> Version {
        let age = self.start.elapsed().as_millis() / MAX_AGE.as_millis();
        Version::Period {
            number: u64::try_from(age).unwrap_or(u64::MAX),
            own_changes: self.own_changes.load(Ordering::Acquire),
        }
    }

    /// Notes that this process may have changed a key, which applies to the next request to this server.
    pub(super) fn note_change(&self) {
        self.own_changes.fetch_add(1, Ordering::Release);
    }

    /// Waits for the next notice of another server. The first call starts to listen.
    pub(crate) async fn next_notice(&self) -> Notice {
        let listen = || self.engine.listen(CHANNEL);
        let Ok(channel) = self.channel.get_or_init(listen) else {
            return std::future::pending().await;
        };
        loop {
            match channel.next().await {
                NotifyEvent::Missed => return Notice::Missed,
                NotifyEvent::Message(text) => {
                    if let Some(notice) = parse_notice(&text, &self.holder) {
                        return notice;
                    }
                }
            }
        }
    }

    /// Sends a notice to all servers. One that is lost is repeated, or learned of with the next lease.
    pub(crate) async fn send(&self, notice: &str) {
        if let Some(Ok(channel)) = self.channel.get() {
            let _ = channel.send(notice).await;
        }
    }
}
