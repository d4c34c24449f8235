//! The state of a server as JSON, for the page of the operator.

use std::time::Duration;

use serde_json::{Value, json};
use spec_gate::activity::{Period, Sender, Summary};
use spec_gate::gate::Service;
use spec_gate::rate_limit::Limiter;

use super::Operator;
use crate::server_stats::of_gate;

impl<S: Service> Operator<S> {
    /// The state now, with the lines of the log after the first `seen`, and how many lines there were. The first state of a
    /// page has seen none.
    pub(super) fn state(&self, seen: Option<u64>) -> (Value, u64) {
        let now = self.gate.now().wall.timestamp();
        let activity = self.gate.activity();
        let (lines, seen_now) = self.gate.recent_lines(seen.unwrap_or(0));
        // Numbered, in milliseconds since 1970.
        let numbers = seen_now - lines.len() as u64..;
        let log = numbers.zip(lines).map(|(number, line)| {
            let millis = u64::try_from(line.time.as_millis()).unwrap_or(u64::MAX);
            json!([number, millis, line.text])
        });
        let settings = self.console.as_ref().map(|console| console.settings());
        let state = json!({
            "service": S::NAME,
            "server": self.name.to_string(),
            "hour": describe(activity.summary(Period::Hour, now)),
            "day": describe(activity.summary(Period::Day, now)),
            "store": self.store(),
            "settings": settings.unwrap_or_else(|| json!({ "plans": [], "scopes": [] })),
            "first": seen.is_none(),
            "log": log.collect::<Vec<_>>(),
            "has_login": self.access.token.is_some(),
        });
        (state, seen_now)
    }

    /// What there is to know of the database, its disk and the limiter, each by its name in `/metrics`.
    fn store(&self) -> Value {
        let mut values = serde_json::Map::new();
        if let Some(store) = &self.store {
            values.insert("database".to_owned(), json!(store.to_string()));
        }
        for stat in of_gate(&self.gate) {
            values.insert(stat.name.to_owned(), stat.value.to_json());
        }
        if self.gate.limiter().is_some_and(Limiter::ledger_fails) {
            let ledger = "the usage of keys could not be stored the last time";
            values.insert("ledger".to_owned(), json!(ledger));
        }
        Value::Object(values)
    }
}

/// What was answered in a period. Times are in microseconds.
fn describe(summary: Summary) -> Value {
    let counts = summary.counts.into_iter().map(|(subject, requests)| {
        let key = match &subject.key {
            Sender::Anonymous => "without a valid key",
            Sender::Key(prefix) => prefix.as_str(),
            Sender::Other => "further keys",
        };
        json!({
            "operation": subject.operation,
            "status": subject.status,
            "key": key,
            "requests": requests,
        })
    });
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let latencies = summary.latencies.iter().map(|(operation, latencies)| {
        json!({
            "operation": operation,
            "requests": latencies.requests(),
            "mean": micros(latencies.mean()),
            "p50": micros(latencies.percentile(50)),
            "p95": micros(latencies.percentile(95)),
            "p99": micros(latencies.percentile(99)),
            "longest": micros(latencies.longest()),
        })
    });
    json!({
        "counts": counts.collect::<Vec<_>>(),
        "latencies": latencies.collect::<Vec<_>>(),
        "start": summary.start,
        "step": summary.step,
        "slots": summary.slots,
    })
}
