//! `petstore restore`: puts a backup in the place of the database, and says what that brings back.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use chrono::Utc;

use super::told;
use crate::store::{self, Restored};

/// Put a backup in the place of the database. The server has to be stopped.
///
/// Everything is again as it was when the backup was made: pets and orders, but also API keys that were
/// revoked or rotated since, their plans and bans, the quota they had spent, and the answers kept for
/// idempotency keys. The database as it is now is kept beside, its name with `.before-restore` added.
#[derive(Debug, clap::Args)]
pub struct Restore {
    /// Backup to put back
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// SQLite database file of the petstore
    #[arg(
        long,
        env = "PETSTORE_DATABASE",
        value_name = "FILE",
        default_value = "petstore.db"
    )]
    database: PathBuf,
}

impl Restore {
    /// Puts the backup back.
    ///
    /// # Errors
    ///
    /// When it was not put back, or it could not be said what that brought back.
    pub fn run(self) -> Result<()> {
        let restored = store::restore(&self.file, &self.database, Utc::now().timestamp())?;
        told(self.report(&restored, &mut io::stdout()))
    }

    fn report(&self, restored: &Restored, out: &mut impl Write) -> io::Result<()> {
        let (database, file) = (self.database.display(), self.file.display());
        writeln!(out, "{database} is restored from {file}.")?;
        explain(restored, out)
    }
}

fn explain(restored: &Restored, out: &mut impl Write) -> io::Result<()> {
    if let Some(before) = &restored.before {
        writeln!(out, "What it was before is kept as {}.", before.display())?;
    }
    writeln!(
        out,
        "\nIt is again as when the backup was made:\n\
         - pets, categories, stock and orders: what happened since is undone\n\
         - quota spent since the backup can be spent again, in a window that still lasts\n\
         - bans, strikes and plans: as they were\n\
         - idempotency keys used since are forgotten: a request that is sent again is carried out again"
    )?;
    if restored.compared {
        list(
            out,
            "- API keys that are accepted again, though they were revoked or rotated since",
            &restored.revived,
        )?;
        if let (Some(before), false) = (&restored.before, restored.revived.is_empty()) {
            writeln!(
                out,
                "  `petstore keys list --database {}` tells which: revoke again what is revoked there; \
                 rotate the others again, with `--overlap 0s`",
                before.display()
            )?;
        }
        list(
            out,
            "- API keys that are unknown now, as they were made since",
            &restored.forgotten,
        )?;
    } else {
        writeln!(
            out,
            "- API keys: those revoked or rotated since are accepted again, those made since are unknown. \
             Which ones cannot be told, as there was no database before that could be read"
        )?;
    }
    Ok(())
}

fn list(out: &mut impl Write, what: &str, prefixes: &[String]) -> io::Result<()> {
    let prefixes = match prefixes {
        [] => "none".to_owned(),
        some => some.join(", "),
    };
    writeln!(out, "{what}: {prefixes}")
}
