//! The store: loads records, applies the rules to them and saves them, in one transaction. It alone knows SQL.
//!
//! Reads run on the caller's thread over pooled connections; writes go to the one writer, where one commit
//! serves many. The interface is async and coarse, so that another database can stand behind it.

mod answer;
mod backup;
mod body;
mod categories;
mod config;
mod error;
mod idempotency;
mod inventory;
mod job;
mod keys;
mod lock;
mod open;
mod orders;
mod page;
mod pets;
mod probe;
mod restore;
mod select;
mod stats;
mod usage;
mod writer;

use std::time::Duration;

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;

pub use self::backup::{BackupError, back_up};
pub use self::body::canonical_body_hash;
pub use self::config::StoreConfig;
pub use self::error::{Cause, OpenError, StoreError};
pub use self::idempotency::{Created, Idempotency, KEPT_FOR};
pub use self::inventory::InventoryFilter;
pub use self::keys::KeyError;
use self::lock::Lock;
pub use self::orders::OrderFilter;
pub use self::page::{MAX_PAGE, Page, PageRequest};
pub use self::pets::PetFilter;
pub use self::restore::{Restored, restore};
pub use self::stats::{PoolStats, WriterStats};
use self::writer::Writer;

/// The open store. Share it in an `Arc`.
///
/// [`Store::close`] it at the end; dropped without, it finishes what is queued, and blocks until that is done.
#[derive(Debug)]
pub struct Store {
    // In the order in which they go: the lock is let go when nobody writes or reads any more.
    writer: Writer,
    readers: Pool<SqliteConnectionManager>,
    read_timeout: Duration,
    lock: Option<Lock>,
}

impl Store {
    /// Opens the database as its one server, creating or migrating it if need be.
    ///
    /// It is locked until the store is dropped, and so is a file beside it, its name with `.lock` added, which stays.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; nothing was created or changed then.
    pub fn open(config: &StoreConfig) -> Result<Store, OpenError> {
        open::as_server(config)
    }

    /// Opens the database beside a server that may be running, to read and write a little.
    ///
    /// It takes no lock, except while it creates or migrates the database.
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; [`OpenError::InUse`] if the database has to be migrated while a server uses it.
    pub fn open_beside_server(config: &StoreConfig) -> Result<Store, OpenError> {
        open::beside_server(config)
    }

    /// Takes no more writes, waits until those that were taken are answered, and folds the log back into the
    /// database file. Reads still work. A second call finds nothing to do.
    ///
    /// # Errors
    ///
    /// When the log could not be folded back. Whatever was acknowledged is safe in it nevertheless.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.writer.close().await
    }

    /// How busy the writer is and was.
    pub fn writer_stats(&self) -> WriterStats {
        self.writer.stats()
    }

    /// How busy the connections for reading are.
    pub fn pool_stats(&self) -> PoolStats {
        let state = self.readers.state();
        PoolStats {
            connections: state.connections,
            busy: state.connections.saturating_sub(state.idle_connections),
        }
    }

    /// Whether the database is still in its place, can be read and has the schema that this code works with.
    ///
    /// # Errors
    ///
    /// When it is not, cannot, or has not.
    pub fn check(&self) -> Result<(), StoreError> {
        if let Some(lock) = &self.lock
            && !lock.is_in_place().map_err(StoreError::internal)?
        {
            let gone = "the database file was removed or replaced; what is written now is lost with the process";
            return Err(StoreError::internal(gone));
        }
        self.read(open::check)
    }

    /// Reads, on this thread and within one statement's snapshot. The connection goes back before this returns.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self
            .readers
            .get_timeout(self.read_timeout)
            .map_err(StoreError::unavailable)?;
        query(&connection)
    }

    /// Writes, through the one writer. See [`Writer::submit`].
    pub(crate) async fn write<T, E>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.writer.submit(work).await
    }
}
