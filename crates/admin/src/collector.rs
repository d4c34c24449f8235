//! Metrics of the limiter, the database and the open files, read when somebody asks for them.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use postgres_engine::PostgresEngine;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeMetric,
};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use rustix::fs::statvfs;
use sqlite_engine::Engine;

use super::open_files::OpenFiles;
use spec_gate::database::Database;
use spec_gate::gate::{Gate, Service};
use spec_gate::rate_limit::{Ledger, Limiter};

/// Reads the counters of the limiter and the database each time that `/metrics` is requested.
pub(super) struct StatsCollector<S: Service>(pub(super) Arc<Gate<S>>);

impl<S: Service> fmt::Debug for StatsCollector<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsCollector")
    }
}

impl<S: Service> Collector for StatsCollector<S> {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let help = "Requests that are being handled, open WebSockets included";
        let in_flight = number(self.0.in_flight().count());
        gauge(&mut encoder, "requests_in_flight", help, in_flight)?;
        if let Some(limiter) = self.0.limiter() {
            encode_limiter(&mut encoder, limiter)?;
        }
        match self.0.service().database() {
            Some(Database::Sqlite(engine)) => encode_sqlite(&mut encoder, engine),
            Some(Database::Postgres(engine)) => encode_postgres(&mut encoder, engine),
            None => Ok(()),
        }
    }
}

/// Counts the open files and connections each time that `/metrics` is requested.
#[derive(Debug)]
pub(super) struct FilesCollector(pub(super) Arc<OpenFiles>);

impl Collector for FilesCollector {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let (files, connections) = (self.0.count(), self.0.count_connections());
        let max_help = "Files that the process may have open; each connection is one";
        let connections_help = "Open connections, those of the panel included";
        gauge(
            &mut encoder,
            "open_files",
            "Files that the process has open",
            number(files.open),
        )?;
        gauge(&mut encoder, "max_files", max_help, number(files.max))?;
        gauge(
            &mut encoder,
            "open_connections",
            connections_help,
            number(connections),
        )
    }
}

fn encode_limiter<L: Ledger>(encoder: &mut DescriptorEncoder, limiter: &Limiter<L>) -> fmt::Result {
    let stats = limiter.stats();
    let (keys, addresses) = (limiter.keys_in_memory(), limiter.addresses_in_memory());
    let lease_calls_help = "Calls to the ledger to lease or return requests of a window";
    counter(encoder, "bans", "Bans triggered", stats.bans)?;
    counter(encoder, "lease_calls", lease_calls_help, stats.lease_calls)?;
    counter(
        encoder,
        "lease_failures",
        "Calls to the ledger that failed",
        stats.lease_failures,
    )?;
    counter(
        encoder,
        "lease_waits",
        "Requests that waited for a lease",
        stats.lease_waits,
    )?;
    counter(
        encoder,
        "leases_given_back",
        "Leases given back because another server needed requests of the window",
        stats.given_back,
    )?;
    if let Some(health) = limiter.ledger().health() {
        let available = i64::from(health.is_available);
        let help = "Whether the engine of the limits can be used (1 or 0)";
        gauge(encoder, "limits_engine_available", help, available)?;
        let help = "Connections made to the engine of the limits";
        counter(
            encoder,
            "limits_engine_connections",
            help,
            health.connections,
        )?;
    }
    gauge(
        encoder,
        "limiter_keys",
        "Keys whose usage is in memory",
        number(keys),
    )?;
    gauge(
        encoder,
        "limiter_addresses",
        "Addresses whose usage is in memory",
        number(addresses),
    )
}

fn encode_sqlite(encoder: &mut DescriptorEncoder, engine: &Engine) -> fmt::Result {
    let (writer, pool) = (engine.writer_stats(), engine.pool_stats());
    let writes_help = "Writes that ran in those transactions, including refused ones";
    let undone_help = "Transactions rolled back as a whole; nothing of them is stored";
    let unknown_help = "Writes answered as outcome_unknown; they may or may not be stored";
    counter(
        encoder,
        "writer_commits",
        "Transactions committed by the writer",
        writer.commits,
    )?;
    counter(encoder, "writer_writes", writes_help, writer.writes)?;
    counter(encoder, "writer_undone", undone_help, writer.undone)?;
    counter(
        encoder,
        "writer_outcome_unknown",
        unknown_help,
        writer.outcome_unknown,
    )?;
    gauge(
        encoder,
        "writer_queue",
        "Writes waiting for the writer",
        number(writer.queued),
    )?;
    gauge(
        encoder,
        "writer_last_batch",
        "Writes in the latest transaction",
        number(writer.last_batch),
    )?;
    gauge(
        encoder,
        "pool_connections",
        "Open connections for reading",
        number(pool.connections),
    )?;
    gauge(
        encoder,
        "pool_busy",
        "Connections for reading that are in use",
        number(pool.busy),
    )?;
    encode_files(encoder, engine)
}

/// The sizes of the database file and of its log, and the room on their disk.
fn encode_files(encoder: &mut DescriptorEncoder, engine: &Engine) -> fmt::Result {
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let mut log = engine.path().as_os_str().to_owned();
    log.push("-wal");
    let help = "Size of the database file";
    gauge(encoder, "database_bytes", help, number(size(engine.path())))?;
    let help = "Size of the write-ahead log beside the database file";
    gauge(
        encoder,
        "database_log_bytes",
        help,
        number(size(Path::new(&log))),
    )?;
    let Ok(disk) = statvfs(engine.path()) else {
        return Ok(());
    };
    let bytes = |blocks: u64| number(blocks.saturating_mul(disk.f_frsize));
    let help = "Size of the file system of the database";
    gauge(encoder, "disk_bytes", help, bytes(disk.f_blocks))?;
    let help = "What the server may still write to the file system of the database";
    gauge(encoder, "disk_available_bytes", help, bytes(disk.f_bavail))
}

fn encode_postgres(encoder: &mut DescriptorEncoder, engine: &PostgresEngine) -> fmt::Result {
    let (transactions, pool) = (engine.transaction_stats(), engine.pool_stats());
    let counters = [
        (
            "transactions_committed",
            "Transactions committed",
            transactions.commits,
        ),
        (
            "transactions_retried",
            "Attempts repeated, as others changed the same rows or a connection was lost",
            transactions.retries,
        ),
        (
            "transactions_unavailable",
            "Calls that failed as the database was not available",
            transactions.unavailable,
        ),
        (
            "transactions_outcome_unknown",
            "Writes answered as outcome_unknown; they may or may not be stored",
            transactions.outcome_unknown,
        ),
    ];
    for (name, help, value) in counters {
        counter(encoder, name, help, value)?;
    }
    let gauges = [
        ("pool_connections", "Open connections", pool.connections),
        ("pool_busy", "Connections that are in use", pool.busy),
        (
            "pool_waiting",
            "Calls that wait for a connection",
            pool.waiting,
        ),
    ];
    for (name, help, value) in gauges {
        gauge(encoder, name, help, number(value))?;
    }
    Ok(())
}

/// Encodes a counter, whose samples get the suffix `_total`.
pub(super) fn counter(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    value: impl EncodeCounterValue,
) -> fmt::Result {
    encode_metric(encoder, name, help, &ConstCounter::new(value))
}

pub(super) fn gauge(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    value: impl EncodeGaugeValue,
) -> fmt::Result {
    encode_metric(encoder, name, help, &ConstGauge::new(value))
}

/// A number of things as the value of a gauge.
fn number(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

fn encode_metric(
    encoder: &mut DescriptorEncoder,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}
