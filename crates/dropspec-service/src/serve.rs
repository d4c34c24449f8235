//! The command `serve`.

mod backup_flags;
mod connection_flags;
mod flags;
mod process;
mod warnings;

use std::io::{self, Write};

use anyhow::{Result, bail};
use dropspec_gate::database::DatabaseConfig;

pub(crate) use self::flags::Serve;
use self::warnings::find_warnings;
use crate::backups::BackupSchedule;
use crate::command::with_printing_context;
use crate::program::Program;
use crate::settings::Settings;

impl Serve {
    /// Runs the server until a signal stops it.
    pub(super) fn run<P: Program>(self) -> Result<()> {
        let (check, drain_delay) = (self.check, self.drain_delay);
        let (settings, backups) = self.settings::<P>()?;
        if let (Some(backups), Some(database)) = (&backups, &settings.database) {
            check_backups(backups, database)?;
        }
        if check {
            check_files(&settings)
        } else {
            process::run::<P>(settings, drain_delay, backups)
        }
    }
}

/// Checks the files that the settings name, and says that the settings can be used, with what the log of a start would
/// warn of. Nothing is opened for writing.
fn check_files(settings: &Settings) -> Result<()> {
    if let Some(tls) = &settings.tls {
        tls.load()?;
    }
    for warning in find_warnings(settings) {
        // If standard error fails, there is nowhere to say it.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    let database = settings.database.as_ref().map(ToString::to_string);
    with_printing_context(writeln!(
        io::stdout(),
        "the settings can be used; database: {}",
        database.unwrap_or_default()
    ))
}

/// Checks that backups can be made of the database, and have a folder.
#[cfg_attr(not(feature = "postgres"), allow(unused_variables))]
fn check_backups(backups: &BackupSchedule, database: &DatabaseConfig) -> Result<()> {
    let folder = &backups.folder;
    #[cfg(feature = "postgres")]
    if let DatabaseConfig::Postgres(_) = database {
        bail!(
            "--backup-folder is for a SQLite database; back up PostgreSQL by `pg_dump --format=custom`, or by a continuous archive of its log"
        );
    }
    if !folder.is_dir() {
        bail!(
            "the folder of --backup-folder does not exist: {}; create it",
            folder.display()
        );
    }
    Ok(())
}
