//! The flags of `serve` about backups on a schedule.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use crate::backups::BackupSchedule;

/// The shortest time between two backups on a schedule.
const MIN_BACKUP_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug, clap::Args)]
pub(super) struct BackupFlags {
    /// Existing folder for backups of the SQLite database that the server makes on a schedule
    #[arg(long, value_name = "FOLDER")]
    backup_folder: Option<PathBuf>,

    /// Time between two of these backups, such as 6h; the first one is made at the start, unless the folder has a newer one
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "24h",
        value_parser = parse_backup_interval
    )]
    backup_every: Duration,

    /// How many of these backups are kept; older ones are removed
    #[arg(long, value_name = "NUMBER", default_value = "7")]
    backup_keep: NonZeroUsize,
}

impl BackupFlags {
    /// When and where backups are made; `None` if they are not.
    pub(super) fn schedule(self) -> Option<BackupSchedule> {
        self.backup_folder.map(|folder| BackupSchedule {
            folder,
            every: self.backup_every,
            keep: self.backup_keep.get(),
        })
    }
}

/// Parses the time between two backups.
fn parse_backup_interval(text: &str) -> Result<Duration, String> {
    let interval = humantime::parse_duration(text).ok();
    interval
        .filter(|it| *it >= MIN_BACKUP_INTERVAL)
        .ok_or_else(|| "write a duration of at least a minute, such as 6h or 1day".to_owned())
}
