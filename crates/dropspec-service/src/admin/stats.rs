//! A number that a server knows of itself, for `/metrics` and for the page of the operator.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// What each number means, by its name.
const MEANINGS: &str = "\
bans Bans triggered
clock_lead_seconds How far the clock of the machine is ahead of that of the database, in seconds
database_bytes Size of the database file
database_log_bytes Size of the write-ahead log beside the database file
disk_available_bytes What the server may still write to the file system of the database
disk_bytes Size of the file system of the database
lease_calls Calls to the ledger to lease or return requests of a window
lease_failures Calls to the ledger that failed
lease_waits Requests that waited for a lease
leases_given_back Leases given back because another server needed requests of the window
limiter_addresses Addresses whose usage is in memory
limiter_keys Keys whose usage is in memory
limits_engine_available Whether the engine of the limits can be used (1 or 0)
limits_engine_connections Connections made to the engine of the limits
max_files Files that the process may have open; each connection is one
open_connections Open connections, those of the panel included
open_files Files that the process has open
operator_wrong_tokens Wrong tokens that were sent to the page of the operator
pool_busy Connections to the database that are in use; on SQLite those for reading
pool_connections Open connections to the database; on SQLite those for reading
pool_refused Connections that the database refused, as it had none left
pool_waiting Calls that wait for a connection
process_cpu_seconds Processor time of all threads in seconds
process_max_fds Files that may be open
process_open_fds Open files
process_resident_memory_bytes Resident memory
process_start_time_seconds Start of the process in seconds since 1970
process_threads Threads
process_virtual_memory_bytes Virtual memory
requests_in_flight Requests that are being handled, open WebSockets included
transactions_committed Transactions committed
transactions_outcome_unknown Writes answered as outcome_unknown; they may or may not be stored
transactions_retried Attempts repeated, as others changed the same rows or a connection was lost
transactions_unavailable Calls that failed as the database was not available
writer_commits Transactions committed by the writer
writer_last_batch Writes in the latest transaction
writer_outcome_unknown Writes answered as outcome_unknown; they may or may not be stored
writer_queue Writes waiting for the writer
writer_undone Transactions rolled back as a whole; nothing of them is stored
writer_writes Writes that ran in those transactions, including refused ones
";

/// A number with its name, which [`MEANINGS`] explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stat {
    pub(super) name: &'static str,
    pub(super) value: StatValue,
}

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StatValue {
    /// It only grows. The name in `/metrics` has the suffix `_total`.
    Counter(u64),
    /// Seconds that only grow.
    Elapsed(f64),
    /// It rises and falls.
    Gauge(i64),
    /// A time, in seconds since 1970.
    Time(f64),
}

/// Reads numbers each time that `/metrics` is requested.
pub(super) struct StatsCollector<F>(pub(super) F);

impl<F> fmt::Debug for StatsCollector<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsCollector")
    }
}

impl<F: Fn() -> Vec<Stat> + Send + Sync + 'static> Collector for StatsCollector<F> {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        for Stat { name, value } in (self.0)() {
            let (encoder, help) = (&mut encoder, meaning_of(name));
            debug_assert!(!help.is_empty(), "{name} has no meaning");
            match value {
                StatValue::Counter(it) => encode(encoder, name, help, &ConstCounter::new(it))?,
                StatValue::Elapsed(it) => encode(encoder, name, help, &ConstCounter::new(it))?,
                StatValue::Gauge(it) => encode(encoder, name, help, &ConstGauge::new(it))?,
                StatValue::Time(it) => encode(encoder, name, help, &ConstGauge::new(it))?,
            }
        }
        Ok(())
    }
}

impl StatValue {
    /// The value for the page of the operator.
    pub(super) fn to_json(self) -> serde_json::Value {
        match self {
            StatValue::Counter(it) => it.into(),
            StatValue::Gauge(it) => it.into(),
            StatValue::Elapsed(it) | StatValue::Time(it) => it.into(),
        }
    }
}

fn encode(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

fn meaning_of(name: &str) -> &'static str {
    let mut lines = MEANINGS.lines();
    let meaning = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    meaning.unwrap_or_default()
}

/// A number that only grows.
pub(super) fn counter(name: &'static str, value: u64) -> Stat {
    let value = StatValue::Counter(value);
    Stat { name, value }
}

/// A number that rises and falls.
pub(super) fn gauge(name: &'static str, value: impl TryInto<i64>) -> Stat {
    let value = StatValue::Gauge(value.try_into().unwrap_or(i64::MAX));
    Stat { name, value }
}

/// Seconds that only grow.
pub(super) fn elapsed(name: &'static str, seconds: f64) -> Stat {
    let value = StatValue::Elapsed(seconds);
    Stat { name, value }
}

/// A time, in seconds since 1970.
pub(super) fn time(name: &'static str, seconds: f64) -> Stat {
    let value = StatValue::Time(seconds);
    Stat { name, value }
}
