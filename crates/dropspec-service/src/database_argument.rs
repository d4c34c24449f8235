//! The flag `--database`, which most commands of a program have.

use std::path::PathBuf;

#[cfg(feature = "postgres")]
use anyhow::Context;
use anyhow::{Result, ensure};
use dropspec_gate::database::DatabaseConfig;

/// The flag `--database`: the database that a command works on.
#[derive(Debug, clap::Args)]
pub(super) struct DatabaseArgument {
    /// SQLite database file of the {name}, which `{name} serve` creates; or the URL of a database on a PostgreSQL server:
    /// postgres://user:password@host:port/name
    // The variable may hold a password.
    #[arg(
        long,
        global = true,
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
    pub(super) fn file(&self, instead: &str) -> Result<PathBuf> {
        ensure!(
            !is_postgres_url(&self.database),
            "this command is for SQLite; for a PostgreSQL server use {instead}"
        );
        parse_database(&self.database, "--database")?;
        Ok(PathBuf::from(&self.database))
    }
}

/// Parses the value of a flag that names a database: a URL of PostgreSQL, or else a file.
///
/// # Errors
///
/// If the URL is not valid, or the program is built without PostgreSQL. The error does not contain the URL, as it may hold a
/// password.
pub(super) fn parse_database(text: &str, flag: &str) -> Result<DatabaseConfig> {
    if is_postgres_url(text) {
        return parse_url(text, flag);
    }
    ensure!(
        !text.contains("://"),
        "{flag} is a URL of an unknown kind; write a file, or postgres://user:password@host:port/name"
    );
    Ok(DatabaseConfig::file(text))
}

fn is_postgres_url(text: &str) -> bool {
    // Without slashes as well: it is no file, whose name would be shown.
    ["postgres:", "postgresql:"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

#[cfg(feature = "postgres")]
fn parse_url(text: &str, flag: &str) -> Result<DatabaseConfig> {
    let config = text.parse::<dropspec_store::postgres::PostgresConfig>();
    let config = config.with_context(|| format!("the URL of {flag} cannot be used"))?;
    Ok(DatabaseConfig::Postgres(Box::new(config)))
}

#[cfg(not(feature = "postgres"))]
fn parse_url(_: &str, flag: &str) -> Result<DatabaseConfig> {
    anyhow::bail!(
        "{flag} is a URL of PostgreSQL, and this program is built without it; build it with `cargo build --release --features postgres`"
    )
}
