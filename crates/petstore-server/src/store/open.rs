//! Opens the database: looks first, locks, creates or migrates, and sets up the connections.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};

use crate::store::backup::BackupError;
use crate::store::config::StoreConfig;
use crate::store::error::{OpenError, StoreError};
use crate::store::lock::Lock;
use crate::store::probe::{self, Found, beside};
use crate::store::writer::Writer;
use crate::store::{Store, restore};

/// Every step of the schema, in order. A step that was released is never edited; a change is a new step.
const STEPS: &[M<'static>] = &[
    M::up(include_str!("../../migrations/1_petstore.sql")),
    M::up(include_str!("../../migrations/2_idempotency_keys.sql")),
    M::up(include_str!("../../migrations/3_api_keys.sql")),
];
const MIGRATIONS: Migrations<'static> = Migrations::from_slice(STEPS);

/// The schema version that this code works with.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// How long the connections for reading may take to be opened, on a machine that is busy with other things.
const OPENING: Duration = Duration::from_secs(30);

/// Statements that each connection keeps prepared: more than there are, filters combined.
const PREPARED: usize = 64;

/// Opens the database as its one server.
pub(super) fn as_server(config: &StoreConfig) -> Result<Store, OpenError> {
    let path = probe::locate(&config.path)?;
    // A file that is not ours gets no lock file beside it either.
    probe::probe(&path, VERSION)?;
    let mut lock = Lock::take(&path)?;
    restore::finish(&path).map_err(|error| unsettled(&path, error))?;
    let connection = prepare(&path, &mut lock, config.busy_timeout)?;
    assemble(&path, connection, config, Some(lock))
}

/// Opens the database beside a server that may be running.
pub(super) fn beside_server(config: &StoreConfig) -> Result<Store, OpenError> {
    let path = probe::locate(&config.path)?;
    restore::settle(&path).map_err(|error| unsettled(&path, error))?;
    let connection = match probe::probe(&path, VERSION)? {
        Found::Ours { version: VERSION } => {
            connect(&path, config.busy_timeout).map_err(|error| failed(&path, error))?
        }
        _ => {
            let mut lock = Lock::take(&path)?;
            prepare(&path, &mut lock, config.busy_timeout)?
        }
    };
    assemble(&path, connection, config, None)
}

/// Whether the database behind `connection` has the schema of this code.
pub(super) fn check(connection: &Connection) -> Result<(), StoreError> {
    let version: i64 = connection
        .prepare_cached("PRAGMA user_version")?
        .query_row([], |row| row.get(0))?;
    if version == VERSION {
        Ok(())
    } else {
        Err(StoreError::internal(format!(
            "the database has schema version {version} instead of {VERSION}"
        )))
    }
}

/// Creates or migrates the database, under the lock, and returns the connection for writing.
/// If that fails, what was not there before is not there afterwards.
fn prepare(path: &Path, lock: &mut Lock, busy_timeout: Duration) -> Result<Connection, OpenError> {
    let found = probe::probe(path, VERSION)?;
    let unfinished = Unfinished::begin(path, lock, found);
    let connection = connect(path, busy_timeout).map_err(|error| failed(path, error))?;
    let connection = migrate(connection, found).map_err(|error| failed(path, error))?;
    lock.hold()?;
    unfinished.finish();
    Ok(connection)
}

fn migrate(
    mut connection: Connection,
    found: Found,
) -> Result<Connection, Box<dyn Error + Send + Sync>> {
    if found != (Found::Ours { version: VERSION }) {
        MIGRATIONS.to_latest(&mut connection)?;
        // With the log folded back, the file tells by itself what it is.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    }
    Ok(connection)
}

/// The connection for writing.
fn connect(path: &Path, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // FULL: a commit is on the disk before it returns. The log shrinks back to 64 MiB after a burst.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(connection)
}

/// The connections for reading. They may write as far as the operating system is concerned, since whoever closes a
/// database last has to clear up its log; `query_only` sees to it that they do not otherwise.
fn readers(
    path: &Path,
    config: &StoreConfig,
) -> Result<Pool<SqliteConnectionManager>, r2d2::Error> {
    let busy_timeout = config.busy_timeout;
    let manager = SqliteConnectionManager::file(path)
        .with_flags(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .with_init(move |connection| {
            connection.busy_timeout(busy_timeout)?;
            connection.set_prepared_statement_cache_capacity(PREPARED);
            connection.execute_batch("PRAGMA query_only = ON;")
        });
    // A connection to a local file does not go stale: no tests, no renewal, statements stay prepared.
    Pool::builder()
        .max_size(config.read_connections.max(1))
        .connection_timeout(OPENING)
        .test_on_check_out(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .build(manager)
}

fn assemble(
    path: &Path,
    connection: Connection,
    config: &StoreConfig,
    lock: Option<Lock>,
) -> Result<Store, OpenError> {
    let readers = readers(path, config).map_err(|error| failed(path, error))?;
    let writer = Writer::start(connection, config).map_err(|error| failed(path, error))?;
    Ok(Store {
        writer,
        readers,
        read_timeout: config.read_timeout,
        lock,
    })
}

/// What is to be removed again if the database does not come to be. Dropped after the connection that failed.
struct Unfinished {
    database: PathBuf,
    remove: Vec<PathBuf>,
    empty: bool,
}

impl Unfinished {
    fn begin(path: &Path, lock: &Lock, found: Found) -> Unfinished {
        let mut remove: Vec<PathBuf> = lock.created().map(Path::to_owned).into_iter().collect();
        if found == Found::Absent {
            remove.push(path.to_owned());
        }
        let logs = ["-wal", "-shm"].map(|suffix| beside(path, suffix));
        remove.extend(logs.into_iter().filter(|log| !log.exists()));
        Unfinished {
            database: path.to_owned(),
            remove,
            empty: found == Found::Empty,
        }
    }

    fn finish(mut self) {
        self.remove.clear();
        self.empty = false;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Whatever cannot be removed, the error that is being returned tells more than this one would.
        for path in &self.remove {
            let _ = fs::remove_file(path);
        }
        if self.empty {
            let _ = OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(&self.database);
        }
    }
}

/// A restore that was cut short could not be carried out.
fn unsettled(path: &Path, error: BackupError) -> OpenError {
    match error {
        BackupError::Open(error) => error,
        error => failed(path, error),
    }
}

fn failed(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> OpenError {
    OpenError::Database {
        path: path.to_owned(),
        source: Arc::from(source.into()),
    }
}

/// A database as the migrations leave it, for tests of statements.
#[cfg(test)]
pub(super) fn in_memory() -> Result<Connection, rusqlite_migration::Error> {
    let mut connection = Connection::open_in_memory()?;
    MIGRATIONS.to_latest(&mut connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_migrations_mark_the_database_as_ours() {
        let mark = in_memory()
            .unwrap()
            .query_row("PRAGMA application_id", [], |row| row.get(0));
        assert_eq!(mark, Ok(probe::APPLICATION_ID));
    }

    #[test]
    fn the_writer_waits_for_the_disk_and_the_readers_do_not_write() {
        let directory = tempfile::TempDir::new().unwrap();
        let config = StoreConfig::at(directory.path().join("db"));
        let writer = connect(&config.path, config.busy_timeout).unwrap();
        let number = |db: &Connection, pragma: &str| -> i64 {
            db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
                .unwrap()
        };
        let journal: String = writer
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(journal, "wal");
        assert_eq!(number(&writer, "synchronous"), 2, "FULL");
        assert_eq!(number(&writer, "foreign_keys"), 1);
        assert_eq!(number(&writer, "busy_timeout"), 5000, "milliseconds");

        let reader = readers(&config.path, &config).unwrap().get().unwrap();
        assert!(reader.execute_batch("CREATE TABLE t (x)").is_err());
    }

    #[test]
    fn a_database_of_an_older_version_is_migrated_once_no_server_uses_it() {
        let directory = tempfile::TempDir::new().unwrap();
        let config = StoreConfig::at(directory.path().join("db"));
        let mut old = connect(&config.path, config.busy_timeout).unwrap();
        MIGRATIONS.to_version(&mut old, 1).unwrap();
        old.execute_batch("INSERT INTO categories (name, name_key) VALUES ('Fish', 'fish')")
            .unwrap();

        let server = Lock::take(&config.path).unwrap();
        let in_use = beside_server(&config).map(drop);
        assert!(
            matches!(in_use, Err(OpenError::InUse { .. })),
            "the older server still runs"
        );
        drop(server);
        drop(old);

        let store = beside_server(&config).unwrap();
        let count = |table: &str| -> i64 {
            let sql = format!("SELECT count(*) FROM {table}");
            store
                .read(|db| Ok(db.query_row(&sql, [], |row| row.get(0))?))
                .unwrap()
        };
        assert_eq!(count("categories"), 1, "what was there is there");
        assert_eq!(count("idempotency_keys"), 0, "what came since has come");
    }
}
