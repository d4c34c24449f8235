//! Where the database is, and the limits of the engine.

use std::path::PathBuf;
use std::time::Duration;

/// The path of the database, and the limits of the engine: connections, timeouts, batch and queue sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineConfig {
    /// The database file. It is created if its directory exists.
    pub path: PathBuf,
    /// Number of reader connections. At least the number of the runtime's workers: reads run on them, and a worker
    /// that waits for a connection serves no request.
    pub read_connections: u32,
    /// How long a read waits for a connection before it fails as unavailable.
    pub read_timeout: Duration,
    /// How long a write may take, with its wait for the queue. Then its caller gets an error; see
    /// [`Engine::write`](crate::sqlite::Engine::write).
    pub write_timeout: Duration,
    /// How long SQLite waits for the lock of another process (a command of the operator). Less than half of
    /// `write_timeout`, so that a write that arrives during such a wait is answered by the next one.
    pub busy_timeout: Duration,
    /// Number of pages in the log that are not in the database file yet, from which on the writer copies them.
    pub checkpoint_pages: u32,
    /// Maximum number of writes in one commit.
    pub max_batch: usize,
    /// Maximum number of queued writes. Further callers wait.
    pub queue_capacity: usize,
}

impl EngineConfig {
    /// Creates a configuration with the default limits, for a database at `path`.
    pub fn new(path: impl Into<PathBuf>) -> EngineConfig {
        let workers = std::thread::available_parallelism().map_or(4, usize::from);
        EngineConfig {
            path: path.into(),
            read_connections: u32::try_from(workers.max(4)).unwrap_or(u32::MAX),
            read_timeout: Duration::from_secs(2),
            write_timeout: Duration::from_secs(10),
            busy_timeout: Duration::from_secs(3),
            // Pages that change often are copied once for many changes, and with a large batch on top, one table of the
            // log's index (4062 pages) is enough, so that reads find pages fast.
            checkpoint_pages: 3000,
            max_batch: 256,
            queue_capacity: 1024,
        }
    }
}
