//! The command `backup`: copies the database while a server may be running.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;

use super::database_argument::DatabaseArgument;
use crate::command::with_printing_context;
use crate::program::Program;

/// Copy the database to a new file, while the server runs.
///
/// The copy holds everything that was acknowledged when the command began, and is checked before it
/// gets its name.
#[derive(Debug, clap::Args)]
pub(super) struct Backup {
    /// File to create; it must not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArgument,
}

impl Backup {
    /// Copies the database, and prints where the copy is.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        let schema = P::SCHEMA;
        let database = self
            .database
            .file("`pg_dump --format=custom`, or a continuous archive of its log")?;
        dropspec_store::sqlite::back_up(schema, &database, &self.file)?;
        with_printing_context(writeln!(
            io::stdout(),
            "{} is backed up to {}; it holds the hashes of API keys, so keep it as safe as the database",
            database.display(),
            self.file.display()
        ))
    }
}
