//! What is counted of the requests, as they are answered. What the store and the
//! limiter count of themselves is read by the panel when it is asked.

use std::time::Duration;

use http::StatusCode;
use petstore_api::Plan;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::rate_limit::Outcome;

/// Upper bounds of the latency buckets, in seconds: a read takes about a
/// millisecond, a write waits for the disk, and a body may take ten seconds.
const LATENCIES: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0,
];

/// The counters of one server. Clones share their figures.
#[derive(Clone, Debug)]
pub struct Metrics {
    requests: Family<Request, Counter>,
    latency: Family<Operation, Histogram, fn() -> Histogram>,
    decisions: Family<Decision, Counter>,
}

/// On whose account a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The holder of a key on this plan.
    Key(Plan),
    /// Someone without a valid key.
    Nobody,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operation {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Decision {
    plan: &'static str,
    outcome: &'static str,
}

impl Metrics {
    /// Counters at zero.
    pub fn new() -> Metrics {
        Metrics {
            requests: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(LATENCIES)),
            decisions: Family::default(),
        }
    }

    /// Counts an answer. `operation` is a name of a bounded number, never a path as it was sent.
    pub fn answered(&self, operation: &'static str, status: StatusCode, latency: Duration) {
        let request = Request {
            operation,
            status: status.as_u16(),
        };
        self.requests.get_or_create(&request).inc();
        self.latency
            .get_or_create(&Operation { operation })
            .observe(latency.as_secs_f64());
    }

    /// Counts what the limiter decided about a request.
    pub fn decided(&self, holder: Holder, outcome: Outcome) {
        let plan = match holder {
            Holder::Key(plan) => plan.as_str(),
            Holder::Nobody => "none",
        };
        let outcome = match outcome {
            Outcome::Admitted => "admitted",
            Outcome::RateLimited(_) => "refused",
            Outcome::Banned => "banned",
            Outcome::Unavailable => "unavailable",
        };
        self.decisions
            .get_or_create(&Decision { plan, outcome })
            .inc();
    }

    /// Names the counters to whoever publishes them.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "requests",
            "Requests answered, by operation and HTTP status",
            self.requests.clone(),
        );
        registry.register(
            "request_seconds",
            "Time from the head of a request to its answer, by operation",
            self.latency.clone(),
        );
        registry.register(
            "limiter_decisions",
            "Requests by the caller's plan (none: no valid key) and what the limiter decided",
            self.decisions.clone(),
        );
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;
    use crate::rate_limit::Window;

    fn published(metrics: &Metrics) -> String {
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    }

    #[test]
    fn an_answer_is_counted_by_operation_and_status() {
        let metrics = Metrics::new();
        let millisecond = Duration::from_millis(1);
        metrics.answered("getPet", StatusCode::OK, millisecond);
        metrics.answered("getPet", StatusCode::OK, millisecond);
        metrics.answered("getPet", StatusCode::NOT_FOUND, millisecond);
        let text = published(&metrics);
        for line in [
            "requests_total{operation=\"getPet\",status=\"200\"} 2",
            "requests_total{operation=\"getPet\",status=\"404\"} 1",
            "request_seconds_count{operation=\"getPet\"} 3",
            "request_seconds_bucket{le=\"0.0005\",operation=\"getPet\"} 0",
            "request_seconds_bucket{le=\"0.001\",operation=\"getPet\"} 3",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }

    #[test]
    fn a_decision_is_counted_by_plan_and_outcome() {
        let metrics = Metrics::new();
        metrics.decided(Holder::Key(Plan::Pro), Outcome::Admitted);
        metrics.decided(Holder::Key(Plan::Pro), Outcome::RateLimited(Window::Minute));
        metrics.decided(Holder::Key(Plan::Pro), Outcome::RateLimited(Window::Day));
        metrics.decided(Holder::Key(Plan::Free), Outcome::Banned);
        metrics.decided(Holder::Nobody, Outcome::Admitted);
        let text = published(&metrics);
        for line in [
            "limiter_decisions_total{plan=\"pro\",outcome=\"admitted\"} 1",
            "limiter_decisions_total{plan=\"pro\",outcome=\"refused\"} 2",
            "limiter_decisions_total{plan=\"free\",outcome=\"banned\"} 1",
            "limiter_decisions_total{plan=\"none\",outcome=\"admitted\"} 1",
        ] {
            assert!(text.contains(line), "{line} is missing in\n{text}");
        }
    }
}
