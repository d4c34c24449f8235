//! The command `keys`: manages API keys in the database, while a server may be running.

use std::fs;
use std::io;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use chrono::Utc;
use sqlite_engine::{Engine, EngineConfig};

use super::database_argument::DatabaseArgument;
use super::limits_argument::LimitsArgument;
use super::{Program, ProgramLedger, api_keys};
use crate::keys::commands::KeyCommands;

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
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the runtime")?
            .block_on(self.execute::<P>())
    }

    async fn execute<P: Program>(self) -> Result<()> {
        let database = &self.database.database;
        // The file must exist: a mistyped path must not create a second database.
        if fs::metadata(database).map_or(true, |file| file.is_file() && file.len() == 0) {
            let name = P::NAME;
            bail!(
                "there is no {name} database at {}; `{name} serve` creates one",
                database.display()
            );
        }
        let schema = P::settings().schema;
        let engine = Engine::open_beside_server(schema, &EngineConfig::new(database))?;
        let engine = Arc::new(engine);
        let keys = Arc::new(api_keys::<P>(&engine));
        let ledger = ProgramLedger::open::<P>(&keys, self.limits.limits.as_ref()).await?;
        self.keys
            .run(&keys, &ledger, Utc::now(), &mut io::stdout())
            .await?;
        engine.close().await.context("cannot close the database")
    }
}
