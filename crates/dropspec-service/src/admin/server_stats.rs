//! What a server knows of itself as numbers: of its requests, the limiter, the database and its disk, and the open files. They
//! are read when somebody asks.

use std::fs;
use std::path::Path;

use dropspec_gate::database::Database;
use dropspec_gate::gate::{Gate, Service};
use dropspec_gate::rate_limit::{Ledger, Limiter};
use dropspec_store::sqlite::Engine;
use rustix::fs::statvfs;

use super::open_files::SpareFiles;
use super::stats::{Stat, counter, gauge};

/// The numbers of a service: its requests, limiter and database.
pub(super) fn of_gate<S: Service>(gate: &Gate<S>) -> Vec<Stat> {
    let in_flight = gate.in_flight.count();
    let mut stats = vec![gauge("requests_in_flight", in_flight)];
    if let Some(limiter) = gate.limiter() {
        stats.extend(of_limiter(limiter));
    }
    match gate.service().database() {
        Some(Database::Sqlite(engine)) => stats.extend(of_sqlite(engine)),
        #[cfg(feature = "postgres")]
        Some(Database::Postgres(engine)) => {
            stats.extend(of_postgres(engine));
            let lead = gate.clock_lead().num_seconds();
            stats.push(gauge("clock_lead_seconds", lead));
        }
        None => {}
    }
    stats
}

/// The open files and connections.
pub(super) fn of_files(files: &SpareFiles) -> Vec<Stat> {
    let (count, connections) = (files.count(), files.count_open_connections());
    vec![
        gauge("open_files", count.open),
        gauge("max_files", count.max),
        gauge("open_connections", connections),
    ]
}

fn of_limiter<L: Ledger>(limiter: &Limiter<L>) -> Vec<Stat> {
    let stats = limiter.stats();
    let mut all = vec![
        counter("bans", stats.bans),
        counter("lease_calls", stats.lease_calls),
        counter("lease_failures", stats.lease_failures),
        counter("lease_waits", stats.lease_waits),
        counter("leases_given_back", stats.given_back),
        gauge("limiter_keys", limiter.keys_in_memory()),
        gauge("limiter_addresses", limiter.addresses_in_memory()),
    ];
    if let Some(health) = limiter.ledger().health() {
        let is_available = i64::from(health.is_available);
        all.extend([
            gauge("limits_engine_available", is_available),
            counter("limits_engine_connections", health.connections),
        ]);
    }
    all
}

/// The numbers of a file, with its size, that of its log, and the room on their disk.
fn of_sqlite(engine: &Engine) -> Vec<Stat> {
    let (writer, pool) = (engine.writer_stats(), engine.pool_stats());
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let mut log = engine.path().as_os_str().to_owned();
    log.push("-wal");
    let mut all = vec![
        counter("writer_commits", writer.commits),
        counter("writer_writes", writer.writes),
        counter("writer_undone", writer.undone),
        counter("writer_outcome_unknown", writer.outcome_unknown),
        gauge("writer_queue", writer.queued),
        gauge("writer_last_batch", writer.last_batch),
        gauge("pool_connections", pool.connections),
        gauge("pool_busy", pool.busy),
        gauge("database_bytes", size(engine.path())),
        gauge("database_log_bytes", size(Path::new(&log))),
    ];
    if let Ok(disk) = statvfs(engine.path()) {
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        all.extend([
            gauge("disk_bytes", bytes(disk.f_blocks)),
            gauge("disk_available_bytes", bytes(disk.f_bavail)),
        ]);
    }
    all
}

#[cfg(feature = "postgres")]
fn of_postgres(engine: &dropspec_store::postgres::PostgresEngine) -> Vec<Stat> {
    let (transactions, pool) = (engine.transaction_stats(), engine.pool_stats());
    vec![
        counter("transactions_committed", transactions.commits),
        counter("transactions_retried", transactions.retries),
        counter("transactions_unavailable", transactions.unavailable),
        counter("transactions_outcome_unknown", transactions.outcome_unknown),
        gauge("pool_connections", pool.connections),
        gauge("pool_busy", pool.busy),
        gauge("pool_waiting", pool.waiting),
        counter("pool_refused", pool.refused),
    ]
}
