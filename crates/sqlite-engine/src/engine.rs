//! The open database: reads on the caller's thread over pooled connections, writes through the one writer.

use std::time::Duration;

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;

use crate::config::EngineConfig;
use crate::error::{EngineError, OpenError};
use crate::lock::Lock;
use crate::open::{self, OpenDatabase};
use crate::schema::Schema;
use crate::stats::{PoolStats, WriterStats};
use crate::writer::Writer;

/// An open SQLite database: a pool of reader connections and one writer thread. Share it in an `Arc`.
///
/// Call [`Engine::close`] at the end. An engine that is dropped without it blocks until all queued writes are done.
#[derive(Debug)]
pub struct Engine {
    // Dropped in this order: the lock is released after the last connection is closed.
    writer: Writer,
    readers: Pool<SqliteConnectionManager>,
    read_timeout: Duration,
    lock: Option<Lock>,
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
        let OpenDatabase {
            path,
            connection,
            readers,
            lock,
        } = opened;
        let writer =
            Writer::start(connection, config).map_err(|error| OpenError::database(&path, error))?;
        Ok(Engine {
            writer,
            readers,
            read_timeout: config.read_timeout,
            lock,
            schema,
        })
    }

    /// Runs `query` on the calling thread with a reader connection. Each statement sees a consistent snapshot.
    ///
    /// # Errors
    ///
    /// That of `query`; [`EngineError::Unavailable`] if no connection becomes free within the read timeout.
    pub fn read<T, E: From<EngineError>>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = self
            .readers
            .get_timeout(self.read_timeout)
            .map_err(EngineError::unavailable)?;
        query(&connection)
    }

    /// Runs `work` in a savepoint of a transaction that it may share with other writes, and returns its result after
    /// the commit.
    ///
    /// If `work` fails or panics, its own changes alone are rolled back. It must return at its first database error,
    /// and neither commit nor roll back. While the queue is full this waits. A queued write runs even if the caller
    /// drops the future.
    ///
    /// # Errors
    ///
    /// That of `work`. [`EngineError::Unavailable`] if the engine is closed, or the transaction failed for a
    /// temporary cause; [`EngineError::Internal`] for any other cause, or if `work` panicked.
    pub async fn write<T, E>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
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

    /// Checks that the database file is still at its path, can be read and has the schema version of this program.
    ///
    /// # Errors
    ///
    /// If the file was removed or replaced, cannot be read, or has another schema version.
    pub fn check(&self) -> Result<(), EngineError> {
        if let Some(lock) = &self.lock
            && !lock.is_in_place().map_err(EngineError::internal)?
        {
            let removed = "the database file was removed or replaced; new writes are lost when the process ends";
            return Err(EngineError::internal(removed));
        }
        let version: i64 = self.read(|db| {
            db.prepare_cached("PRAGMA user_version")?
                .query_row([], |row| row.get(0))
                .map_err(EngineError::from)
        })?;
        let expected = self.schema.version();
        if version != expected {
            let message =
                format!("the database has schema version {version} instead of {expected}");
            return Err(EngineError::internal(message));
        }
        Ok(())
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
