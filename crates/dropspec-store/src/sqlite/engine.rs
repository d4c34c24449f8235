//! The open database: reads on the caller's thread over pooled connections, writes through the one writer.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;
use tokio::sync::watch;

use crate::EngineError;
use crate::sqlite::config::EngineConfig;
use crate::sqlite::data_version::DataVersion;
use crate::sqlite::error::{OpenError, may_be_unreadable};
use crate::sqlite::fault::Fault;
use crate::sqlite::health::{Health, OpenFiles};
use crate::sqlite::migration::Migration;
use crate::sqlite::open::{self, OpenDatabase};
use crate::sqlite::schema::Schema;
use crate::sqlite::standing_read::StandingRead;
use crate::sqlite::stats::{PoolStats, WriterStats};
use crate::sqlite::writer::{Writer, WriterFiles};

/// An open SQLite database: a pool of reader connections and one writer thread. Share it in an `Arc`.
///
/// Call [`Engine::close`] at the end. An engine that is dropped without it blocks until all queued writes are done, but
/// not longer than a write may take.
#[derive(Debug)]
pub struct Engine {
    path: PathBuf,
    // Dropped in this order: only the writer's connection, the last one, removes the log. Then the files are closed, which
    // the writer shares, and the lock is released.
    readers: Pool<SqliteConnectionManager>,
    files: Arc<OpenFiles>,
    standing_read: Arc<StandingRead>,
    writer: Writer,
    health: Arc<Health>,
    read_timeout: Duration,
    restricted: Vec<PathBuf>,
    migration: Option<Migration>,
    schema: Schema,
}

impl Engine {
    /// Opens the database as its only server, and creates or migrates it if necessary.
    ///
    /// The database is locked until the engine is dropped, and so is a file beside it with the suffix `.lock`, which
    /// is not removed.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; then nothing was created or changed.
    pub fn open(schema: Schema, config: &EngineConfig) -> Result<Engine, OpenError> {
        Engine::start(schema, config, open::open_as_server(schema, config)?)
    }

    /// Opens the database for a few reads and writes while a server may be running.
    ///
    /// It takes the lock only while it creates or migrates the database.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; [`OpenError::InUse`] if the database must be migrated while a server uses it.
    pub fn open_beside_server(schema: Schema, config: &EngineConfig) -> Result<Engine, OpenError> {
        Engine::start(schema, config, open::open_beside_server(schema, config)?)
    }

    fn start(
        schema: Schema,
        config: &EngineConfig,
        opened: OpenDatabase,
    ) -> Result<Engine, OpenError> {
        let failed = |error| OpenError::database(&opened.path, error);
        let files = OpenFiles::new(&opened.path).and_then(|files| match opened.lock {
            Some(_) => files.open_index(),
            // The server may run in this process and outlive this engine, as in tests.
            None => Ok(files),
        });
        let files = Arc::new(files.map_err(failed)?);
        let health = Health::new();
        let standing_read = Arc::new(opened.standing_read);
        let owned = WriterFiles {
            standing_read: Arc::clone(&standing_read),
            connection: opened.connection,
            files: Arc::clone(&files),
            lock: opened.lock,
        };
        let writer = Writer::start(owned, Arc::clone(&health), config).map_err(failed)?;
        Ok(Engine {
            readers: opened.readers,
            files,
            standing_read,
            writer,
            health,
            read_timeout: config.read_timeout,
            restricted: opened.restricted,
            migration: opened.migration,
            schema,
            path: opened.path,
        })
    }

    /// Runs `query` on the calling thread with a reader connection. Each statement sees a consistent snapshot.
    ///
    /// # Errors
    ///
    /// That of `query`; [`EngineError::Unavailable`] if no connection becomes free within the read timeout, or after the
    /// engine stopped ([`Fault::Stopped`](crate::sqlite::Fault::Stopped)).
    pub fn read<T, E: From<EngineError> + Error + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        if self.health.stops_reads()
            && let Some(fault) = self.health.fault()
        {
            return Err(EngineError::from(fault).into());
        }
        let connection = self
            .readers
            .get_timeout(self.read_timeout)
            .map_err(EngineError::unavailable)?;
        let result = query(&connection);
        self.standing_read.count_read();
        if let Err(error) = &result
            && may_be_unreadable(error)
            && let Some(fault) = self.find_unreadable()
        {
            return Err(EngineError::from(fault).into());
        }
        result
    }

    /// Returns the version of the data. What [`Engine::read`] reads afterwards is of this version or a later one.
    ///
    /// `None` if it is not known at the moment, if reads are refused ([`Fault::stops_reads`](crate::sqlite::Fault::stops_reads)),
    /// and always for an engine that was opened beside a server.
    pub fn data_version(&self) -> Option<DataVersion> {
        let index = self.files.index.as_ref();
        let index = index.filter(|_| !self.health.stops_reads());
        index?.read()
    }

    /// Runs `work` in a transaction that it may share with other writes, and returns its result after the commit.
    ///
    /// If `work` fails or panics, its own changes alone are rolled back. That may need a second run of the works of the
    /// transaction, so `work` should have no effect outside the database. It changes only rows (`INSERT`, `UPDATE`,
    /// `DELETE`), must return at its first database error, and neither commits nor rolls back. While the queue is full
    /// this waits. A queued write runs even if the caller drops the future, but not after the write timeout. Call it
    /// within a tokio runtime that has its timer enabled.
    ///
    /// # Errors
    ///
    /// That of `work`. [`EngineError::Unavailable`] if the engine is closed or has a [`Fault`], the write did not
    /// begin within the write timeout, or the transaction failed for a temporary cause; [`EngineError::Internal`] for
    /// any other cause, or if `work` panicked. [`EngineError::OutcomeUnknown`] if the commit failed in a way that may
    /// have stored the write, or if the write began but did not end within the write timeout.
    pub async fn write<T, E>(
        &self,
        work: impl Fn(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<EngineError> + Send + 'static,
    {
        self.writer.submit(work).await
    }

    /// Accepts no more writes, waits until the queued ones are done, and copies the write-ahead log back into the
    /// database file. Reads still work. A second call does nothing.
    ///
    /// # Errors
    ///
    /// When the log could not be copied back. All acknowledged writes are safe in it nevertheless.
    pub async fn close(&self) -> Result<(), EngineError> {
        self.writer.close().await
    }

    /// Checks that the engine has no fault, that its files are at their paths, and that the database can be read and has
    /// the schema version of this program.
    ///
    /// # Errors
    ///
    /// [`EngineError::Unavailable`] with the [`Fault`] as its cause, if there is one; that of a failed read is over if the file can
    /// be read now. Otherwise, if the database cannot be read, or has another schema version.
    pub fn check(&self) -> Result<(), EngineError> {
        let fault = self.health.fault().or_else(|| self.files.find_fault());
        if let Some(fault) = fault {
            // The writer notices, even if nothing is written, and saves the log if it can.
            self.writer.check_files();
            return Err(fault.into());
        }
        let is_unreadable = self.health.is_unreadable();
        let version: i64 = self.read(|db| {
            if is_unreadable {
                // So that the file is read, and not the cache of the connection.
                db.execute_batch("PRAGMA shrink_memory")?;
            }
            db.prepare_cached("PRAGMA user_version")?
                .query_row([], |row| row.get(0))
                .map_err(EngineError::from)
        })?;
        self.health.note_read();
        let expected = self.schema.version();
        if version != expected {
            let message =
                format!("the database has schema version {version} instead of {expected}");
            return Err(EngineError::internal(message));
        }
        Ok(())
    }

    /// The fault of files that the operating system cannot read, if it cannot.
    fn find_unreadable(&self) -> Option<Fault> {
        if !self.health.is_unreadable() {
            let error = self.files.find_io_error(Instant::now)?;
            self.health.note_failed_read(error);
        }
        self.watch_fault().borrow().clone()
    }

    /// Returns a receiver of the engine's fault: `None` while there is none. It is complete for faults that the writer
    /// found: before and after each transaction, and after [`Engine::check`].
    pub fn watch_fault(&self) -> watch::Receiver<Option<Fault>> {
        self.health.subscribe()
    }

    /// Returns the path of the database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns which migrations were applied when the engine was opened; `None` if the database is new or was current.
    pub fn migration(&self) -> Option<&Migration> {
        self.migration.as_ref()
    }

    /// Returns the files that users other than their owner could read or write until the engine was opened.
    pub fn restricted_files(&self) -> &[PathBuf] {
        &self.restricted
    }

    /// Returns how many writes are queued now, and how many were committed since the engine was opened.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// Returns how many reader connections are open and how many are in use now.
    pub fn pool_stats(&self) -> PoolStats {
        let state = self.readers.state();
        PoolStats {
            connections: state.connections,
            busy: state.connections.saturating_sub(state.idle_connections),
        }
    }
}
