//! How the store is set up.

use std::path::PathBuf;
use std::time::Duration;

/// Where the database is, and the bounds within which it works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreConfig {
    /// The database file. Created, if its directory exists.
    pub path: PathBuf,
    /// Connections for reading. At least the number of the runtime's workers: reads run on them,
    /// and a worker that waits for a connection serves nobody.
    pub read_connections: u32,
    /// How long a read waits for a connection before it is unavailable.
    pub read_timeout: Duration,
    /// How long SQLite waits for another process (the `keys` commands) to let go of the database.
    pub busy_timeout: Duration,
    /// Most writes to share one commit.
    pub max_batch: usize,
    /// Most writes to be queued. Who comes next waits for a place.
    pub queue_capacity: usize,
}

impl StoreConfig {
    /// The usual bounds, for a database at `path`.
    pub fn at(path: impl Into<PathBuf>) -> StoreConfig {
        let workers = std::thread::available_parallelism().map_or(4, usize::from);
        StoreConfig {
            path: path.into(),
            read_connections: u32::try_from(workers.max(4)).unwrap_or(u32::MAX),
            read_timeout: Duration::from_secs(2),
            busy_timeout: Duration::from_secs(5),
            max_batch: 256,
            queue_capacity: 1024,
        }
    }
}
