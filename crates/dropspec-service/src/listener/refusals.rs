//! Counts connections that were refused, or closed before a request. Strangers can cause them without number, so the log sums
//! them up.

use std::fmt::Display;
use std::time::{Duration, Instant};

use dropspec_gate::metrics::{ConnectionRefusal, RefusedConnections};
use parking_lot::Mutex;
use slog::Logger;

/// The time between two lines of the log.
const INTERVAL: Duration = Duration::from_secs(60);

/// The counts for the metrics, and those that the log has not named yet.
pub(super) struct Refusals {
    metrics: RefusedConnections,
    log: Logger,
    unnamed: Mutex<Unnamed>,
}

#[derive(Default)]
struct Unnamed {
    counts: [u64; ConnectionRefusal::ALL.len()],
    last_cause: String,
    /// When the log had its last line.
    named: Option<Instant>,
}

impl Refusals {
    pub(super) fn new(metrics: RefusedConnections, log: Logger) -> Refusals {
        Refusals {
            metrics,
            log,
            unnamed: Mutex::default(),
        }
    }

    pub(super) fn count(&self, refusal: ConnectionRefusal, cause: impl Display) {
        self.metrics.count(refusal);
        let mut unnamed = self.unnamed.lock();
        unnamed.counts[refusal as usize] += 1;
        unnamed.last_cause = cause.to_string();
    }

    /// Logs what was counted since the last line, if that is a minute ago.
    pub(super) fn report(&self, now: Instant) {
        let mut unnamed = self.unnamed.lock();
        let is_due = unnamed.named.is_none_or(|it| now - it >= INTERVAL);
        if unnamed.counts.iter().all(|it| *it == 0) || !is_due {
            return;
        }
        let unnamed = std::mem::replace(
            &mut *unnamed,
            Unnamed {
                named: Some(now),
                ..Unnamed::default()
            },
        );
        let [handshake, no_head, address_limit, limit, not_accepted] = unnamed.counts;
        // The names are those of the metric.
        slog::warn!(self.log, "connections were refused, or closed before a request; more are summed up for a minute";
            "handshake" => handshake, "no_head" => no_head, "address_limit" => address_limit, "limit" => limit,
            "not_accepted" => not_accepted, "last_cause" => unnamed.last_cause);
    }
}
