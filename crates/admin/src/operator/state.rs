//! The state of a server as JSON, for the page of the operator.

use std::time::Duration;

use serde_json::{Value, json};

use super::Operator;
use spec_gate::activity::{Period, Sender, Summary};
use spec_gate::database::{Database, DatabaseConfig};
use spec_gate::gate::Service;
use spec_gate::rate_limit::Limiter;

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

    /// What there is to know of the database, its disk and the limiter, each by a name for people.
    fn store(&self) -> Value {
        let mut values = serde_json::Map::new();
        let mut set = |name: &str, value: Value| {
            values.insert(name.to_owned(), value);
        };
        if let Some(store) = &self.store {
            set("database", json!(store.to_string()));
        }
        if let Some(DatabaseConfig::Sqlite(config)) = &self.store {
            let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |it| it.len());
            let mut log = config.path.clone().into_os_string();
            log.push("-wal");
            set("file_bytes", json!(size(&config.path)));
            set("write-ahead_log_bytes", json!(size(log.as_ref())));
            if let Ok(disk) = rustix::fs::statvfs(&config.path) {
                set(
                    "free_disk_bytes",
                    json!(disk.f_bavail.saturating_mul(disk.f_frsize)),
                );
            }
        }
        match self.gate.service().database() {
            Some(Database::Sqlite(engine)) => {
                let (writer, pool) = (engine.writer_stats(), engine.pool_stats());
                set("commits", json!(writer.commits));
                set("writes", json!(writer.writes));
                set("waiting_writes", json!(writer.queued));
                set("writes_with_unknown_outcome", json!(writer.outcome_unknown));
                set("reading_connections", json!(pool.connections));
            }
            Some(Database::Postgres(engine)) => {
                let (transactions, pool) = (engine.transaction_stats(), engine.pool_stats());
                set("commits", json!(transactions.commits));
                set("retries", json!(transactions.retries));
                set(
                    "writes_with_unknown_outcome",
                    json!(transactions.outcome_unknown),
                );
                set("connections", json!(pool.connections));
                set("waiting_calls", json!(pool.waiting));
            }
            None => {}
        }
        if let Some(limiter) = self.gate.limiter() {
            let stats = limiter.stats();
            set("bans_since_the_start", json!(stats.bans));
            set("failed_calls_to_the_ledger", json!(stats.lease_failures));
            set("limited_keys_in_memory", json!(limiter.keys_in_memory()));
            set(
                "limited_addresses_in_memory",
                json!(limiter.addresses_in_memory()),
            );
            if Limiter::ledger_fails(limiter) {
                set(
                    "ledger",
                    json!("the usage of keys could not be stored the last time"),
                );
            }
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
