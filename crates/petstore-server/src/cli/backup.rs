//! `petstore backup`: a copy of the database, made beside a running server.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;

use super::told;
use crate::store::SCHEMA;

/// Copy the database to a new file, while the server runs.
///
/// The copy holds everything that was acknowledged when the command began, and is checked before it
/// gets its name.
#[derive(Debug, clap::Args)]
pub struct Backup {
    /// File to make; it must not exist
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

impl Backup {
    /// Makes the copy.
    ///
    /// # Errors
    ///
    /// When there is no copy, or it could not be said that there is.
    pub fn run(self) -> Result<()> {
        sqlite_engine::back_up(SCHEMA, &self.database, &self.file)?;
        told(writeln!(
            io::stdout(),
            "{} is backed up to {}; it holds the hashes of API keys, so keep it as safe as the database",
            self.database.display(),
            self.file.display()
        ))
    }
}
