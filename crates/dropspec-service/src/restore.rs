//! The command `restore`: replaces the database by a backup.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::database_argument::DatabaseArgument;
use crate::command::with_printing_context;
use crate::program::Program;

/// Replace the database by a backup. The server has to be stopped.
///
/// Everything is again as it was when the backup was made: {records}, but also API keys that were
/// revoked or rotated since, their plans and bans, the quota they had spent, and the responses stored for
/// idempotency keys. The present database is stored beside, its name with `.before-restore` added.
#[derive(Debug, clap::Args)]
pub(super) struct Restore {
    /// Backup to restore
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseArgument,
}

impl Restore {
    /// Replaces the database by the backup, and prints what that undoes.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        let schema = P::SCHEMA;
        let database = self
            .database
            .file("`pg_restore --clean --if-exists` while all servers are stopped")?;
        let previous = dropspec_store::sqlite::restore(schema, &self.file, &database)?;
        with_printing_context(self.report::<P>(&database, previous.as_deref(), &mut io::stdout()))
    }

    fn report<P: Program>(
        &self,
        database: &Path,
        previous: Option<&Path>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (database, file) = (database.display(), self.file.display());
        writeln!(out, "{database} is restored from {file}.")?;
        if let Some(previous) = previous {
            let previous = previous.display();
            writeln!(out, "The previous database is stored as {previous}.")?;
        }
        writeln!(
            out,
            "\nEverything is as it was when the backup was made:\n\
             - {}: later changes are undone\n\
             - requests counted since the backup can be used again in a window that has not ended\n\
             - bans, strikes and plans: as they were\n\
             - idempotency keys used since are forgotten: a repeated request is carried out again\n\
             - API keys revoked or rotated since are accepted again; API keys created since are unknown",
            P::RECORDS
        )?;
        if let Some(previous) = previous {
            let (name, previous) = (P::NAME, previous.display());
            writeln!(
                out,
                "  `{name} keys list --database {previous}` lists the API keys as they were before the restore"
            )?;
        }
        Ok(())
    }
}
