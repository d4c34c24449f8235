//! Counters of requests. The panel reads the counters of limiter and database when it is asked for metrics.

mod refused_connections;

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use parking_lot::RwLock;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use rustc_hash::FxHashMap;

pub use self::refused_connections::{ConnectionRefusal, RefusedConnections};
use crate::rate_limit::Outcome;

/// The upper bounds of the histogram buckets for latency, in seconds: a read takes about a millisecond, a write waits
/// for the disk, and a body may take ten seconds.
const LATENCY_BUCKETS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0,
];

/// What became of the span of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanOutcome {
    /// The collector has it.
    Exported,
    /// The collector did not take it.
    Failed,
    /// Too many were waiting.
    Dropped,
}

/// The statuses of failures of the server.
const FAILURES: [u16; 2] = [500, 503];

const BACKUP_OUTCOMES: [&str; 2] = ["made", "failed"];

/// The request counters of one server for Prometheus. Clones share their values.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<RequestLabels, Counter>,
    latency: Family<OperationLabels, Histogram, fn() -> Histogram>,
    decisions: Family<DecisionLabels, Counter>,
    /// What requests count, found by the addresses of names: a sixth of the instructions that hashing labels takes.
    known_responses: Known<(Counter, Histogram)>,
    known_decisions: Known<Counter>,
    /// Log lines that were lost because standard error was too slow.
    pub dropped_log_lines: Counter,
    backups: Family<OutcomeLabels, Counter>,
    spans: Family<OutcomeLabels, Counter>,
    /// Connections that the listener refused.
    pub refused_connections: RefusedConnections,
}

/// Counters by a name of the program, as its address and length, and a number. Two addresses of one name have the same
/// counters.
type Known<C> = Arc<RwLock<FxHashMap<(usize, usize, u16), C>>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DecisionLabels {
    plan: &'static str,
    outcome: &'static str,
}

/// The counters, all at zero.
impl Default for Metrics {
    fn default() -> Metrics {
        let (backups, spans) = (
            Family::<OutcomeLabels, Counter>::default(),
            Family::<OutcomeLabels, Counter>::default(),
        );
        // As in `begin_failures`.
        for outcome in BACKUP_OUTCOMES {
            drop(backups.get_or_create(&OutcomeLabels { outcome }));
        }
        for outcome in SpanOutcome::ALL.map(SpanOutcome::as_str) {
            drop(spans.get_or_create(&OutcomeLabels { outcome }));
        }
        Metrics {
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCY_BUCKETS)),
            decisions: Family::default(),
            known_responses: Arc::default(),
            known_decisions: Arc::default(),
            dropped_log_lines: Counter::default(),
            backups,
            spans,
            refused_connections: RefusedConnections::default(),
        }
    }
}

impl Metrics {
    /// Counts a response and its latency. `operation` is one of a bounded number of names, never a path as it was sent.
    pub fn count_response(&self, operation: &'static str, status: StatusCode, latency: Duration) {
        let status = status.as_u16();
        let make = || {
            let requests = RequestLabels { operation, status };
            let seconds = OperationLabels { operation };
            (
                self.requests.get_or_create_owned(&requests),
                self.latency.get_or_create_owned(&seconds),
            )
        };
        let known = &self.known_responses;
        count(known, (operation, status), make, |(requests, seconds)| {
            requests.inc();
            seconds.observe(latency.as_secs_f64());
        });
    }

    /// Begins the counters of failures at zero, so that the first failure of an operation is an increase: a counter that appears
    /// with its first count has none.
    pub fn begin_failures(&self, operations: impl Iterator<Item = &'static str>) {
        for operation in operations {
            for status in FAILURES {
                let labels = RequestLabels { operation, status };
                drop(self.requests.get_or_create(&labels));
            }
        }
    }

    /// Counts a backup on the schedule of the server.
    pub fn count_backup(&self, has_succeeded: bool) {
        let outcome = BACKUP_OUTCOMES[usize::from(!has_succeeded)];
        self.backups.get_or_create(&OutcomeLabels { outcome }).inc();
    }

    /// Counts spans of requests that a collector shall get.
    pub fn count_spans(&self, outcome: SpanOutcome, count: u64) {
        let outcome = outcome.as_str();
        self.spans
            .get_or_create(&OutcomeLabels { outcome })
            .inc_by(count);
    }

    /// Counts a decision of the limiter. `plan` is the plan of the key, `none` for a request without a valid key, or
    /// `pages` for a page.
    pub fn count_decision(&self, plan: &'static str, outcome: Outcome) {
        let (number, outcome) = match outcome {
            Outcome::Admitted => (0, "admitted"),
            Outcome::AdmittedWithoutLease => (1, "admitted_without_lease"),
            Outcome::RateLimited(_) | Outcome::FreeRateLimited => (2, "refused"),
            Outcome::Banned => (3, "banned"),
            Outcome::Unavailable => (4, "unavailable"),
        };
        let make = || {
            let labels = DecisionLabels { plan, outcome };
            self.decisions.get_or_create_owned(&labels)
        };
        count(&self.known_decisions, (plan, number), make, |decisions| {
            decisions.inc();
        });
    }

    /// Registers the counters, so that `/metrics` reports them.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Requests answered, by operation and HTTP status; 499: the client disconnected before",
            self.requests.clone(),
        );
        registry.register(
            "request_seconds",
            "Time from the head of a request to its response, by operation",
            self.latency.clone(),
        );
        registry.register(
            "limiter_decisions",
            "Requests by the plan of the key (none: no valid key; pages: pages) and the limiter's decision",
            self.decisions.clone(),
        );
        registry.register(
            "log_lines_dropped",
            "Log lines lost because standard error was too slow",
            self.dropped_log_lines.clone(),
        );
        registry.register(
            "backups",
            "Backups on the schedule of the server, by their outcome",
            self.backups.clone(),
        );
        self.refused_connections.register(registry);
        registry.register(
            "spans",
            "Spans of requests by their outcome: exported, failed (the collector did not take them), dropped (too many waited)",
            self.spans.clone(),
        );
    }
}

/// Counts by the counters of a name and a number. Those of the first request are made.
fn count<C>(
    known: &Known<C>,
    (name, number): (&'static str, u16),
    make: impl FnOnce() -> C,
    count: impl FnOnce(&C),
) {
    let id = (name.as_ptr().addr(), name.len(), number);
    let read = known.read();
    if let Some(counters) = read.get(&id) {
        return count(counters);
    }
    drop(read);
    let made = make();
    count(&made);
    let mut known = known.write();
    known.insert(id, made);
}

impl SpanOutcome {
    const ALL: [SpanOutcome; 3] = [
        SpanOutcome::Exported,
        SpanOutcome::Failed,
        SpanOutcome::Dropped,
    ];

    fn as_str(self) -> &'static str {
        match self {
            SpanOutcome::Exported => "exported",
            SpanOutcome::Failed => "failed",
            SpanOutcome::Dropped => "dropped",
        }
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;
    use crate::rate_limit::Window;

    fn encode_metrics(metrics: &Metrics) -> String {
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    }

    #[test]
    fn responses_and_decisions_are_counted_by_their_labels() {
        let metrics = Metrics::default();
        metrics.begin_failures(["getPet", "listPets"].into_iter());
        for status in [StatusCode::OK, StatusCode::OK, StatusCode::NOT_FOUND] {
            metrics.count_response("getPet", status, Duration::from_millis(1));
        }
        for (plan, outcome) in [
            ("pro", Outcome::Admitted),
            ("pro", Outcome::RateLimited(Window::Minute)),
            ("pro", Outcome::RateLimited(Window::Day)),
            ("free", Outcome::Banned),
        ] {
            metrics.count_decision(plan, outcome);
        }
        let text = encode_metrics(&metrics);
        for line in [
            "requests_total{operation=\"getPet\",status=\"200\"} 2",
            "requests_total{operation=\"getPet\",status=\"404\"} 1",
            "requests_total{operation=\"getPet\",status=\"500\"} 0",
            "requests_total{operation=\"listPets\",status=\"503\"} 0",
            "request_seconds_count{operation=\"getPet\"} 3",
            "request_seconds_bucket{le=\"0.0005\",operation=\"getPet\"} 0",
            "request_seconds_bucket{le=\"0.001\",operation=\"getPet\"} 3",
            "limiter_decisions_total{plan=\"pro\",outcome=\"admitted\"} 1",
            "limiter_decisions_total{plan=\"pro\",outcome=\"refused\"} 2",
            "limiter_decisions_total{plan=\"free\",outcome=\"banned\"} 1",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }
}
