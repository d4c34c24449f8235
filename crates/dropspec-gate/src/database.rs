//! The database of a service: a file of SQLite, or a database on a PostgreSQL server.

use std::fmt;
use std::path::PathBuf;

#[cfg(feature = "postgres")]
use dropspec_store::postgres::PostgresConfig;
use dropspec_store::sqlite::EngineConfig;

pub use crate::api_keys::Database;

/// Where the database is, and the limits of its engine.
#[derive(Clone, Debug)]
pub enum DatabaseConfig {
    /// A file.
    Sqlite(EngineConfig),
    /// A database on a server.
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresConfig>),
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
