//! The flag `--database`, which most commands of a program have.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use postgres_engine::PostgresConfig;

use spec_gate::database::DatabaseConfig;

/// The flag `--database`: the database that a command works on.
#[derive(Debug, clap::Args)]
pub(super) struct DatabaseArgument {
    /// SQLite database file of the {name}, which `{name} serve` creates; or the URL of a database on a PostgreSQL server:
    /// postgres://user:password@host:port/name
    // The variable may hold a password.
    #[arg(
        long,
        global = true,
        env = "{prefix}_DATABASE",
        hide_env_values = true,
        value_name = "FILE|URL",
        default_value = "{name}.db"
    )]
    database: String,
}

impl DatabaseArgument {
    /// The database, with the default limits.
    ///
    /// # Errors
    ///
    /// If the URL is not valid. The error does not contain it, as it may hold a password.
    pub(super) fn config(&self) -> Result<DatabaseConfig> {
        parse_database(&self.database, "--database")
    }

    /// The file, for a command that works on files only. `instead` are the programs for PostgreSQL.
    ///
    /// # Errors
    ///
    /// If the database is on a server.
    pub(super) fn file(&self, instead: &str) -> Result<PathBuf> {
        if PostgresConfig::is_url(&self.database) {
            bail!("this command is for SQLite; for a PostgreSQL server use {instead}")
        } else {
            Ok(PathBuf::from(&self.database))
        }
    }
}

/// Parses the value of a flag that names a database: a URL of PostgreSQL, or else a file.
///
/// # Errors
///
/// If the URL is not valid. The error does not contain it, as it may hold a password.
pub(super) fn parse_database(text: &str, flag: &str) -> Result<DatabaseConfig> {
    if !PostgresConfig::is_url(text) {
        if let Some((scheme, _)) = text.split_once("://") {
            bail!(
                "{flag} is a URL of the unknown kind {scheme}://; write a file, or postgres://user:password@host:port/name"
            );
        }
        return Ok(DatabaseConfig::file(text));
    }
    let config = text.parse::<PostgresConfig>();
    let config = config.with_context(|| format!("the URL of {flag} cannot be used"))?;
    Ok(DatabaseConfig::Postgres(Box::new(config)))
}
