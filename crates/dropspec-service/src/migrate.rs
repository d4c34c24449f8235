//! The command `migrate`: brings the tables of a database to the version of the program, or says what is missing.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;

use super::database_argument::DatabaseArgument;
use crate::command::with_printing_context;
use crate::database::{migrate, read_version, schema_version};
use crate::program::Program;

/// The exit code of `--check` if the database lacks migrations.
const PENDING: u8 = 1;

/// Apply the migrations that the database lacks, before a server of this version does.
///
/// `serve` and `keys` do the same when they open the database. A SQLite database is copied first, to NAME.before-version-N, and
/// no server may use it meanwhile. On PostgreSQL servers may go on; copy the database before by pg_dump.
#[derive(Debug, clap::Args)]
pub(super) struct Migrate {
    #[command(flatten)]
    database: DatabaseArgument,

    /// Only say what is missing. The exit code is 0 if it is nothing, and 1 otherwise
    #[arg(long)]
    check: bool,
}

impl Migrate {
    /// Migrates the database or checks it, and prints its version.
    pub(super) async fn run<P: Program>(self) -> Result<ExitCode> {
        let config = self.database.config()?;
        let known = schema_version::<P>(&config);
        let found = read_version::<P>(&config).await?;
        let missing = known - found;
        let (text, code) = match (missing, self.check) {
            (0, _) => (
                format!("{config} has the schema version of this program, {known}"),
                ExitCode::SUCCESS,
            ),
            (_, true) => (
                format!(
                    "{config} has the schema version {found}, and this program {known}: {missing} to apply, by `{} migrate` or the next start",
                    P::NAME
                ),
                ExitCode::from(PENDING),
            ),
            (_, false) => {
                let copy = migrate::<P>(&config).await?;
                let copy = copy.map(|copy| format!("; a copy from before is {copy}"));
                let copy = copy.unwrap_or_default();
                (
                    format!("{config} now has the schema version {known} instead of {found}{copy}"),
                    ExitCode::SUCCESS,
                )
            }
        };
        with_printing_context(writeln!(io::stdout(), "{text}"))?;
        Ok(code)
    }
}
