//! The state of a server as JSON, for the page of the operator.

use std::collections::BTreeSet;
use std::time::Duration;

use dropspec_gate::activity::{Latencies, Period, Sender, Summary};
use dropspec_gate::gate::Service;
use dropspec_gate::rate_limit::Limiter;
use dropspec_gate::recent_requests::MAX_OF_KEY;
use dropspec_gate::reference::Page;
use dropspec_runtime::Interface;
use serde_json::{Value, json};

use super::Operator;
use crate::admin::LEDGER_FAILS;
use crate::admin::server_stats::of_gate;

impl<S: Service> Operator<S> {
    /// The state now, with the lines of the log after the first `seen`, and how many lines there were. The first state of a
    /// page has seen none.
    pub(super) fn state(&self, seen: Option<u64>) -> (Value, u64) {
        let now = self.gate.now().wall.timestamp();
        let activity = &self.gate.activity;
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
            "docs": self.docs,
            "started": self.started,
            "now": now,
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

    /// The last requests of a key that this server answered, the newest first. The method, and without a logged path its
    /// template, are those of the operation.
    pub(super) fn recent_requests_of(&self, key_id: i64) -> Value {
        let requests = self.gate.recent_requests.of_key(key_id);
        let requests = requests.iter().map(|request| {
            let operations = S::Interface::operations().iter();
            let operation = operations
                .clone()
                .find(|it| it.operation_id == request.operation);
            let method = operation.map(|it| it.method.as_str());
            let template = operation.map(|it| it.path);
            request.to_json(method, request.path.as_deref().or(template), None)
        });
        json!({ "requests": requests.collect::<Vec<_>>(), "most": MAX_OF_KEY, "started": self.started })
    }

    /// The prefixes of the keys that sent requests in the last day.
    pub(super) fn senders(&self) -> BTreeSet<String> {
        let summary = self.gate.activity.summary(Period::Day, self.now());
        let senders = summary
            .counts
            .into_iter()
            .filter_map(|(subject, _)| match subject.key {
                Sender::Key(prefix) => Some(prefix.as_str().to_owned()),
                _ => None,
            });
        senders.collect()
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
            values.insert("ledger".to_owned(), json!(LEDGER_FAILS));
        }
        Value::Object(values)
    }
}

/// What was answered in a period. Times are in microseconds. The pages of the reference are no operations; they are counted
/// together.
fn describe(summary: Summary) -> Value {
    let is_page = |name: &str| Page::find(name).is_some();
    let (pages, counts): (Vec<_>, Vec<_>) = summary
        .counts
        .into_iter()
        .partition(|(subject, _)| is_page(subject.operation));
    let counts = counts.into_iter().map(|(subject, requests)| {
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
    let mut all = Latencies::default();
    let mut operations = summary.latencies;
    operations.retain(|(operation, _)| !is_page(operation));
    operations
        .iter()
        .for_each(|(_, latencies)| all.merge(latencies));
    let latencies = operations.iter().map(|(operation, latencies)| {
        let mut times = describe_times(latencies);
        times["operation"] = json!(operation);
        times
    });
    json!({
        "counts": counts.collect::<Vec<_>>(),
        "pages": pages.into_iter().map(|(_, requests)| requests).sum::<u64>(),
        "latencies": latencies.collect::<Vec<_>>(),
        "all": describe_times(&all),
        "start": summary.start,
        "step": summary.step,
        "slots": summary.slots,
    })
}

fn describe_times(latencies: &Latencies) -> Value {
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    json!({
        "requests": latencies.requests(),
        "mean": micros(latencies.mean()),
        "p50": micros(latencies.percentile(50)),
        "p95": micros(latencies.percentile(95)),
        "p99": micros(latencies.percentile(99)),
        "longest": micros(latencies.longest()),
    })
}
