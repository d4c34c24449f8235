//! `petstore keys`: manages API keys in the database, while a server may be running.

use std::fs;
use std::io;

use anyhow::{Context, Result, bail};
use chrono::Utc;
use spec_gate::keys::commands::KeyCommands;

use super::DatabaseArgument;
use crate::server::api_keys;
use crate::store::{EngineConfig, Store};

/// Create, list, change and revoke API keys.
///
/// A key is named by its id or by the first 8 characters of its secret. The server need not be stopped: a change
/// applies from the key's next request on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  petstore keys create --name shop --plan pro
  petstore keys create --name partner --plan enterprise --per-minute 5000 --per-day 1000000
  petstore keys rotate 3 --overlap 24h
  petstore keys show 3 --json")]
pub struct Keys {
    #[command(flatten)]
    database: DatabaseArgument,

    #[command(flatten)]
    keys: KeyCommands,
}

impl Keys {
    /// Runs a command of `petstore keys`, and prints its result.
    ///
    /// # Errors
    ///
    /// If the command failed, which changes nothing, or if its result could not be printed.
    pub fn run(self) -> Result<()> {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .context("cannot start the runtime")?
            .block_on(self.execute())
    }

    async fn execute(self) -> Result<()> {
        let database = &self.database.database;
        // The file must exist: a mistyped path must not create a second database.
        if fs::metadata(database).map_or(true, |file| file.is_file() && file.len() == 0) {
            bail!(
                "there is no petstore database at {}; `petstore serve` creates one",
                database.display()
            );
        }
        let store = Store::open_beside_server(&EngineConfig::new(database))?;
        self.keys
            .run(&api_keys(&store), Utc::now(), &mut io::stdout())
            .await?;
        store
            .engine()
            .close()
            .await
            .context("cannot close the database")
    }
}
