//! The command `keys`: manages API keys in the database, while a server may be running.

use std::fs;
use std::io;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use chrono::Utc;
use postgres_engine::PostgresEngine;
use sqlite_engine::{Engine, EngineConfig};

use super::database_argument::DatabaseArgument;
use super::limits_argument::LimitsArgument;
use crate::command::block_on;
use crate::ledger::ProgramLedger;
use crate::program::{Program, postgres_schema};
use crate::start::api_keys;
use spec_gate::database::{Database, DatabaseConfig};
use spec_gate::keys::commands::KeyCommands;
use spec_gate::rate_limit::TimeSource;

/// Create, list, change and revoke API keys.
///
/// A key is named by its id or by the first characters of its secret, which lists show. The server need not be stopped: a change
/// applies from the key's next request on.
#[derive(Debug, clap::Args)]
pub(super) struct Keys {
    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    limits: LimitsArgument,

    #[command(flatten)]
    keys: KeyCommands,
}

impl Keys {
    /// Runs a command for keys, and prints its result.
    ///
    /// # Errors
    ///
    /// If the command failed, which changes nothing, or if its result could not be printed.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        block_on(self.execute::<P>())
    }

    async fn execute<P: Program>(self) -> Result<()> {
        let database = open_existing::<P>(&self.database).await?;
        let keys = Arc::new(api_keys::<P>(database.clone()));
        let limits = self.limits.limits.as_ref();
        let ledger = ProgramLedger::open(P::NAME, &keys, limits, TimeSource::Engine).await?;
        self.keys
            .run(&keys, &ledger, Utc::now(), &mut io::stdout())
            .await?;
        database.close().await.context("cannot close the database")
    }
}

/// Opens a database that exists, while a server may be running.
///
/// # Errors
///
/// If there is none, or it cannot be used.
pub(super) async fn open_existing<P: Program>(database: &DatabaseArgument) -> Result<Database> {
    match database.config()? {
        DatabaseConfig::Sqlite(config) => open_file::<P>(&config),
        DatabaseConfig::Postgres(config) => {
            let schema = postgres_schema::<P>();
            let engine = PostgresEngine::open_existing(schema, &config).await?;
            Ok(Arc::new(engine).into())
        }
    }
}

fn open_file<P: Program>(config: &EngineConfig) -> Result<Database> {
    // The file must exist: a mistyped path must not create a second database.
    if fs::metadata(&config.path).map_or(true, |file| file.is_file() && file.len() == 0) {
        let name = P::NAME;
        bail!(
            "there is no {name} database at {}; name another with --database, or create one with `{name} serve`",
            config.path.display()
        );
    }
    let engine = Engine::open_beside_server(P::SCHEMA, config)?;
    Ok(Arc::new(engine).into())
}
