//! Metrics of the limiter and the database, read when somebody asks for them.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use sqlite_engine::Engine;

use crate::gate::{Gate, Service};
use crate::rate_limit::{Ledger, Limiter};

/// Reads the counters of a running server.
pub(super) struct StatsCollector<S: Service>(pub(super) Arc<Gate<S>>);

impl<S: Service> fmt::Debug for StatsCollector<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsCollector")
    }
}

impl<S: Service> Collector for StatsCollector<S> {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        if let Some(limiter) = self.0.limiter() {
            encode_limiter(&mut encoder, limiter)?;
        }
        match self.0.service().engine() {
            Some(engine) => encode_engine(&mut encoder, engine),
            None => Ok(()),
        }
    }
}

fn encode_limiter<L: Ledger>(encoder: &mut DescriptorEncoder, limiter: &Limiter<L>) -> fmt::Result {
    let stats = limiter.stats();
    let counters = [
        ("bans", "Bans triggered", stats.bans),
        (
            "lease_calls",
            "Calls to the ledger to lease or return requests of a window",
            stats.lease_calls,
        ),
        (
            "lease_failures",
            "Calls to the ledger that failed",
            stats.lease_failures,
        ),
        (
            "lease_waits",
            "Requests that had to wait for a lease",
            stats.lease_waits,
        ),
    ];
    let gauges = [
        (
            "limiter_keys",
            "Keys whose usage is held in memory",
            to_gauge(limiter.keys_in_memory()),
        ),
        (
            "limiter_addresses",
            "Addresses whose usage is held in memory",
            to_gauge(limiter.addresses_in_memory()),
        ),
    ];
    encode_all(encoder, &counters, &gauges)
}

fn encode_engine(encoder: &mut DescriptorEncoder, engine: &Engine) -> fmt::Result {
    let writer = engine.writer_stats();
    let pool = engine.pool_stats();
    let counters = [
        (
            "writer_commits",
            "Transactions committed by the writer",
            writer.commits,
        ),
        (
            "writer_writes",
            "Writes that ran in those transactions, including refused ones",
            writer.writes,
        ),
        (
            "writer_undone",
            "Transactions lost as a whole; each of their writes returned an error",
            writer.undone,
        ),
    ];
    let gauges = [
        (
            "writer_queue",
            "Writes waiting for the writer",
            to_gauge(writer.queued),
        ),
        (
            "writer_last_batch",
            "Writes in the latest transaction",
            writer.last_batch.cast_signed(),
        ),
        (
            "pool_connections",
            "Open connections for reading",
            pool.connections.into(),
        ),
        (
            "pool_busy",
            "Connections for reading that are in use",
            pool.busy.into(),
        ),
    ];
    encode_all(encoder, &counters, &gauges)
}

fn encode_all(
    encoder: &mut DescriptorEncoder,
    counters: &[(&str, &str, u64)],
    gauges: &[(&str, &str, i64)],
) -> fmt::Result {
    for (name, help, value) in counters {
        encode_metric(encoder, name, help, &ConstCounter::new(*value))?;
    }
    for (name, help, value) in gauges {
        encode_metric(encoder, name, help, &ConstGauge::new(*value))?;
    }
    Ok(())
}

fn encode_metric(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

fn to_gauge(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
