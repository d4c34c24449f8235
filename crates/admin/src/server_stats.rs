//! What a server knows of itself as numbers: of its requests, the limiter, the database and its disk, and the open files. They
//! are read when somebody asks.

use std::fs;
use std::path::Path;

use rustix::fs::statvfs;
use spec_gate::database::Database;
use spec_gate::gate::{Gate, Service};
use spec_gate::rate_limit::{Ledger, Limiter};
use sqlite_engine::Engine;

use super::open_files::OpenFiles;
use super::stats::{Stat, counter, gauge};

/// The numbers of a service: its requests, limiter and database.
pub(super) fn of_gate<S: Service>(gate: &Gate<S>) -> Vec<Stat> {
    let in_flight = gate.in_flight().count();
    let mut stats = vec![gauge(
        "requests_in_flight",
        "Requests that are being handled, open WebSockets included",
        in_flight,
    )];
    if let Some(limiter) = gate.limiter() {
        stats.extend(of_limiter(limiter));
    }
    match gate.service().database() {
        Some(Database::Sqlite(engine)) => stats.extend(of_sqlite(engine)),
        #[cfg(feature = "postgres")]
        Some(Database::Postgres(engine)) => stats.extend(of_postgres(engine)),
        None => {}
    }
    stats
}

/// The open files and connections.
pub(super) fn of_files(files: &OpenFiles) -> Vec<Stat> {
    let (count, connections) = (files.count(), files.count_connections());
    vec![
        gauge("open_files", "Files that the process has open", count.open),
        gauge(
            "max_files",
            "Files that the process may have open; each connection is one",
            count.max,
        ),
        gauge(
            "open_connections",
            "Open connections, those of the panel included",
            connections,
        ),
    ]
}

fn of_limiter<L: Ledger>(limiter: &Limiter<L>) -> Vec<Stat> {
    let stats = limiter.stats();
    let mut all = vec![
        counter("bans", "Bans triggered", stats.bans),
        counter(
            "lease_calls",
            "Calls to the ledger to lease or return requests of a window",
            stats.lease_calls,
        ),
        counter(
            "lease_failures",
            "Calls to the ledger that failed",
            stats.lease_failures,
        ),
        counter(
            "lease_waits",
            "Requests that waited for a lease",
            stats.lease_waits,
        ),
        counter(
            "leases_given_back",
            "Leases given back because another server needed requests of the window",
            stats.given_back,
        ),
        gauge(
            "limiter_keys",
            "Keys whose usage is in memory",
            limiter.keys_in_memory(),
        ),
        gauge(
            "limiter_addresses",
            "Addresses whose usage is in memory",
            limiter.addresses_in_memory(),
        ),
    ];
    if let Some(health) = limiter.ledger().health() {
        let is_available = i64::from(health.is_available);
        all.extend([
            gauge(
                "limits_engine_available",
                "Whether the engine of the limits can be used (1 or 0)",
                is_available,
            ),
            counter(
                "limits_engine_connections",
                "Connections made to the engine of the limits",
                health.connections,
            ),
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
        counter(
            "writer_commits",
            "Transactions committed by the writer",
            writer.commits,
        ),
        counter(
            "writer_writes",
            "Writes that ran in those transactions, including refused ones",
            writer.writes,
        ),
        counter(
            "writer_undone",
            "Transactions rolled back as a whole; nothing of them is stored",
            writer.undone,
        ),
        counter(
            "writer_outcome_unknown",
            "Writes answered as outcome_unknown; they may or may not be stored",
            writer.outcome_unknown,
        ),
        gauge(
            "writer_queue",
            "Writes waiting for the writer",
            writer.queued,
        ),
        gauge(
            "writer_last_batch",
            "Writes in the latest transaction",
            writer.last_batch,
        ),
        gauge(
            "pool_connections",
            "Open connections for reading",
            pool.connections,
        ),
        gauge(
            "pool_busy",
            "Connections for reading that are in use",
            pool.busy,
        ),
        gauge(
            "database_bytes",
            "Size of the database file",
            size(engine.path()),
        ),
        gauge(
            "database_log_bytes",
            "Size of the write-ahead log beside the database file",
            size(Path::new(&log)),
        ),
    ];
    if let Ok(disk) = statvfs(engine.path()) {
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        all.extend([
            gauge(
                "disk_bytes",
                "Size of the file system of the database",
                bytes(disk.f_blocks),
            ),
            gauge(
                "disk_available_bytes",
                "What the server may still write to the file system of the database",
                bytes(disk.f_bavail),
            ),
        ]);
    }
    all
}

#[cfg(feature = "postgres")]
fn of_postgres(engine: &postgres_engine::PostgresEngine) -> Vec<Stat> {
    let (transactions, pool) = (engine.transaction_stats(), engine.pool_stats());
    vec![
        counter(
            "transactions_committed",
            "Transactions committed",
            transactions.commits,
        ),
        counter(
            "transactions_retried",
            "Attempts repeated, as others changed the same rows or a connection was lost",
            transactions.retries,
        ),
        counter(
            "transactions_unavailable",
            "Calls that failed as the database was not available",
            transactions.unavailable,
        ),
        counter(
            "transactions_outcome_unknown",
            "Writes answered as outcome_unknown; they may or may not be stored",
            transactions.outcome_unknown,
        ),
        gauge("pool_connections", "Open connections", pool.connections),
        gauge("pool_busy", "Connections that are in use", pool.busy),
        gauge(
            "pool_waiting",
            "Calls that wait for a connection",
            pool.waiting,
        ),
    ]
}
