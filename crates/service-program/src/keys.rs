//! The command `keys`: manages API keys in the database, while a server may be running.

use std::io;
use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::Utc;
use spec_gate::keys::commands::KeyCommands;
use spec_gate::rate_limit::TimeSource;

use super::database_argument::DatabaseArgument;
use super::limits_argument::LimitsArgument;
use crate::database::open_existing;
use crate::ledger::ProgramLedger;
use crate::program::Program;
use crate::start::api_keys;

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
    pub(super) async fn run<P: Program>(self) -> Result<()> {
        let database = open_existing::<P>(&self.database.config()?).await?;
        let keys = Arc::new(api_keys::<P>(database.clone()));
        let limits = self.limits.limits.as_ref();
        let ledger = ProgramLedger::open(P::NAME, &keys, limits, TimeSource::Engine).await?;
        self.keys
            .run(&keys, &ledger, Utc::now(), &mut io::stdout())
            .await?;
        database.close().await.context("cannot close the database")
    }
}
