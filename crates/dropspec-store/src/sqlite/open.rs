//! Opens the database: checks the file, locks it, creates or migrates it, and configures the connections.

use std::error::Error;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use r2d2::{ManageConnection, Pool};
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, ffi};

use crate::sqlite::access;
use crate::sqlite::config::EngineConfig;
use crate::sqlite::error::OpenError;
use crate::sqlite::lock::Lock;
use crate::sqlite::migration::{Migration, keep_copy};
use crate::sqlite::migrations;
use crate::sqlite::probe::{self, FileState, append_suffix};
use crate::sqlite::restore;
use crate::sqlite::schema::Schema;
use crate::sqlite::standing_read::StandingRead;

/// Maximum time to open the pool of reader connections, long enough for a busy machine.
const POOL_TIMEOUT: Duration = Duration::from_secs(30);

/// Number of prepared statements that each connection caches: more than an application has, combinations of filters
/// included.
const STATEMENT_CACHE: usize = 64;

/// A database that was opened and has the current schema: its connections and its lock.
pub(crate) struct OpenDatabase {
    /// The resolved path.
    pub(crate) path: PathBuf,
    /// The connection for writing.
    pub(crate) connection: Connection,
    /// The connections for reading.
    pub(crate) readers: Pool<SqliteConnectionManager>,
    /// The read transaction that stays open; never begun if the database was not opened as a server.
    pub(crate) standing_read: StandingRead,
    /// The lock, if the database was opened as a server.
    pub(crate) lock: Option<Lock>,
    /// The files that others could read or write before.
    pub(crate) restricted: Vec<PathBuf>,
    /// The migrations that were applied.
    pub(crate) migration: Option<Migration>,
}

/// Opens the database as its only server.
pub(crate) fn open_as_server(
    schema: Schema,
    config: &EngineConfig,
) -> Result<OpenDatabase, OpenError> {
    let path = probe::resolve_path(&config.path)?;
    probe::roll_back_journal(&path);
    // Before the lock, so that no lock file is created beside a file of another application.
    probe::inspect_file(&path, schema)?;
    let mut lock = Lock::take(&path)?;
    restore::finish_restore(schema, &path)?;
    let restricted = access::restrict_files(&path);
    let opened = create_or_migrate(schema, &path, &mut lock, config.busy_timeout)?;
    rewrite_log(&opened.0, &path).map_err(|error| OpenError::database(&path, error))?;
    connect_all(path, opened, config, Some(lock), restricted)
}

/// Opens the database while a server may be running.
pub(crate) fn open_beside_server(
    schema: Schema,
    config: &EngineConfig,
) -> Result<OpenDatabase, OpenError> {
    let path = probe::resolve_path(&config.path)?;
    probe::roll_back_journal(&path);
    restore::resume_interrupted_restore(schema, &path)?;
    let opened = if is_current(schema, probe::inspect_file(&path, schema)?) {
        let connection = connect_writer(&path, config.busy_timeout)
            .map_err(|error| OpenError::database(&path, error))?;
        migrations::check(schema, &connection, &path)?;
        (connection, None)
    } else {
        let mut lock = Lock::take(&path)?;
        create_or_migrate(schema, &path, &mut lock, config.busy_timeout)?
    };
    connect_all(path, opened, config, None, Vec::new())
}

/// Whether the file that was found is a database with the schema version of this program.
fn is_current(schema: Schema, found: FileState) -> bool {
    let version = schema.version();
    found == FileState::Database { version }
}

/// Creates or migrates the database under the lock, and returns the connection for writing, and the migrations that were
/// applied to a database that existed. If that fails, an empty database may be left, which the next attempt uses.
fn create_or_migrate(
    schema: Schema,
    path: &Path,
    lock: &mut Lock,
    busy_timeout: Duration,
) -> Result<(Connection, Option<Migration>), OpenError> {
    let found = probe::inspect_file(path, schema)?;
    if found == FileState::Missing {
        probe::refuse_log_without_database(path)?;
    }
    access::create_database_file(path).map_err(|error| OpenError::cannot_create(path, error))?;
    let mut connection =
        connect_writer(path, busy_timeout).map_err(|error| OpenError::database(path, error))?;
    migrations::check(schema, &connection, path)?;
    let mut migration = None;
    if !is_current(schema, found) {
        if let FileState::Database { version } = found {
            migration = Some(keep_copy(schema, path, version)?);
        }
        migrate(schema, &mut connection).map_err(|error| OpenError::database(path, error))?;
    }
    migrations::remember(schema, &mut connection)
        .map_err(|error| OpenError::database(path, error))?;
    lock.lock_database()?;
    Ok((connection, migration))
}

/// Applies the migrations that the database lacks, and copies the write-ahead log into the database file.
fn migrate(
    schema: Schema,
    connection: &mut Connection,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    schema.migrate(connection)?;
    // Writes the application id and the version to the database file itself, not only to the log.
    copy_log(connection)?;
    Ok(())
}

/// Makes the log that a crashed process left durable, copies it into the database file, and empties it.
///
/// After a failed fsync, the page cache may show a log that the disk lacks, and later fsyncs succeed without it. So its
/// bytes are written again before they are synced. `walCheckpoint` syncs the log before it writes the database file, so
/// a crash of the machine at any point leaves one of the two complete. Meanwhile, the write lock keeps commands of the
/// operator from the log; SQLite has no lock on the log file itself, so closing it releases none.
fn rewrite_log(connection: &Connection, path: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let rewritten = rewrite_file(&append_suffix(path, "-wal"));
    connection.execute_batch("ROLLBACK")?;
    rewritten?;
    Ok(copy_log(connection)?)
}

/// Writes the content of a file over itself, and syncs it.
fn rewrite_file(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut block = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        let length = file.read_at(&mut block, offset)?;
        if length == 0 {
            return file.sync_all();
        }
        file.write_all_at(&block[..length], offset)?;
        offset += length as u64;
    }
}

/// Copies the write-ahead log into the database file, and empties it.
fn copy_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Opens the one connection for writing. Its commits are on the disk when they return.
fn connect_writer(path: &Path, busy_timeout: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_timeout)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // If an operation on the files fails, SQLite keeps the mode it had, and reports no error. In that mode a power cut can
    // undo a commit, as SQLite does not sync the directory after it removes the journal.
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let message = format!("the journal mode is {mode}, as it could not be changed to wal");
        let code = ffi::Error::new(ffi::SQLITE_IOERR);
        return Err(rusqlite::Error::SqliteFailure(code, Some(message)));
    }
    // FULL: a commit syncs the log. The writer runs checkpoints itself, as SQLite ignores their errors. Nothing is
    // written to the log before a commit (cache_spill). The log is truncated to 64 MiB after a burst of writes.
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA cache_spill = OFF;
         PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    Ok(connection)
}

/// Opens the pool of connections for reading, and one connection more. The files are opened for writing, as SQLite needs for the index of the log;
/// `query_only` prevents writes. The connections never copy the log into the database, not even when they are closed.
fn connect_readers(
    path: &Path,
    config: &EngineConfig,
) -> Result<(Pool<SqliteConnectionManager>, Connection), Box<dyn Error + Send + Sync>> {
    let busy_timeout = config.busy_timeout;
    let manager = SqliteConnectionManager::file(path)
        .with_flags(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .with_init(move |connection| {
            connection.busy_timeout(busy_timeout)?;
            connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.execute_batch("PRAGMA query_only = ON;")
        });
    // The pool tries again until its timeout, and says less: what fails always fails here, at once.
    let connection = manager.connect()?;
    // A connection to a local file does not go stale: it is never tested or replaced, so statements stay prepared.
    let pool = Pool::builder()
        .max_size(config.read_connections.max(1))
        .connection_timeout(POOL_TIMEOUT)
        .test_on_check_out(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .build(manager)?;
    Ok((pool, connection))
}

/// Opens the connections for reading, and returns them with the connection for writing and the lock.
fn connect_all(
    path: PathBuf,
    (connection, migration): (Connection, Option<Migration>),
    config: &EngineConfig,
    lock: Option<Lock>,
    restricted: Vec<PathBuf>,
) -> Result<OpenDatabase, OpenError> {
    let (readers, reader) =
        connect_readers(&path, config).map_err(|error| OpenError::database(&path, error))?;
    // A command of the operator must not hold up the checkpoints of the server.
    let standing_read = StandingRead::new(Some(reader).filter(|_| lock.is_some()));
    // Opens the log and its index.
    connection
        .query_row("PRAGMA user_version", [], |_| Ok(()))
        .map_err(|error| OpenError::database(&path, error))?;
    Ok(OpenDatabase {
        path,
        connection,
        readers,
        standing_read,
        lock,
        restricted,
        migration,
    })
}

#[cfg(test)]
mod tests;
