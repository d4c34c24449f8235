//! The database of a service: a file of SQLite, or a database on a PostgreSQL server.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use engine_types::EngineError;
#[cfg(feature = "postgres")]
use postgres_engine::{PostgresConfig, PostgresEngine};
use sqlite_engine::{Engine, EngineConfig};

/// An open database. Clones share it.
#[derive(Clone, Debug)]
pub enum Database {
    /// A file, which one server uses.
    Sqlite(Arc<Engine>),
    /// A database on a server, which several servers of the service may use.
    #[cfg(feature = "postgres")]
    Postgres(Arc<PostgresEngine>),
}

/// Where the database is, and the limits of its engine.
#[derive(Clone, Debug)]
pub enum DatabaseConfig {
    /// A file.
    Sqlite(EngineConfig),
    /// A database on a server.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresConfig>),
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

impl DatabaseConfig {
    /// A file with the default limits.
    pub fn file(path: impl Into<PathBuf>) -> DatabaseConfig {
        DatabaseConfig::Sqlite(EngineConfig::new(path))
    }

    /// Whether the database is a file that does not exist. Whether one on a server is new, only its tables show.
    pub fn is_missing(&self) -> bool {
        match self {
            DatabaseConfig::Sqlite(config) => !config.path.exists(),
            #[cfg(feature = "postgres")]
            DatabaseConfig::Postgres(_) => false,
        }
    }

    /// The limits of SQLite.
    ///
    /// # Panics
    ///
    /// If the database is on a server.
    pub fn sqlite_mut(&mut self) -> &mut EngineConfig {
        match self {
            DatabaseConfig::Sqlite(config) => config,
            #[cfg(feature = "postgres")]
            DatabaseConfig::Postgres(config) => panic!("{config} is no file"),
        }
    }
}

/// The path of a file, or the URL of a server without its password.
impl fmt::Display for DatabaseConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseConfig::Sqlite(config) => {
                let path = std::path::absolute(&config.path);
                write!(f, "{}", path.as_deref().unwrap_or(&config.path).display())
            }
            #[cfg(feature = "postgres")]
            DatabaseConfig::Postgres(config) => write!(f, "{config}"),
        }
    }
}
