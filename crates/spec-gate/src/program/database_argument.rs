//! The flag `--database`, which all commands of a program have.

use std::path::PathBuf;

/// The flag `--database`: the database file that a command works on.
#[derive(Debug, clap::Args)]
pub(super) struct DatabaseArgument {
    /// SQLite database file of the {name}; `{name} serve` creates it
    #[arg(
        long,
        global = true,
        env = "{prefix}_DATABASE",
        value_name = "FILE",
        default_value = "{name}.db"
    )]
    pub(super) database: PathBuf,
}
