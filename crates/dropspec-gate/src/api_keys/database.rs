//! The open database of a service: a file of SQLite, or a database on a PostgreSQL server.

use std::sync::Arc;

use dropspec_store::EngineError;
#[cfg(feature = "postgres")]
use dropspec_store::postgres::PostgresEngine;
use dropspec_store::sqlite::Engine;

/// An open database. Clones share it.
#[derive(Clone, Debug)]
pub enum Database {
    /// A file, which one server uses.
    Sqlite(Arc<Engine>),
    /// A database on a server, which several servers of the service may use.
    #[cfg(feature = "postgres")]
    Postgres(Arc<PostgresEngine>),
}

impl Database {
    /// The engine of SQLite, if the database is a file.
    pub fn sqlite(&self) -> Option<&Arc<Engine>> {
        match self {
            Database::Sqlite(engine) => Some(engine),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => None,
        }
    }

    /// Whether this process has created the tables of a database on a server.
    pub fn is_new(&self) -> bool {
        match self {
            Database::Sqlite(_) => false,
            #[cfg(feature = "postgres")]
            Database::Postgres(engine) => engine.is_new(),
        }
    }

    /// Waits for the writes that have begun, and closes the database.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::close`].
    pub async fn close(&self) -> Result<(), EngineError> {
        match self {
            Database::Sqlite(engine) => engine.close().await,
            #[cfg(feature = "postgres")]
            Database::Postgres(engine) => {
                engine.close();
                Ok(())
            }
        }
    }
}

impl From<Arc<Engine>> for Database {
    fn from(engine: Arc<Engine>) -> Database {
        Database::Sqlite(engine)
    }
}

#[cfg(feature = "postgres")]
impl From<Arc<PostgresEngine>> for Database {
    fn from(engine: Arc<PostgresEngine>) -> Database {
        Database::Postgres(engine)
    }
}
