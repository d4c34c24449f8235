//! Backups of a SQLite database on a schedule, while the server runs. Old ones are removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use dropspec_gate::clock::Clock;
use dropspec_gate::metrics::Metrics;
use dropspec_store::sqlite::Schema;
use slog::Logger;

/// The time after which a backup that failed is tried again.
const RETRY: Duration = Duration::from_secs(60);

/// The time in the name of a backup, in UTC.
const TIME: &str = "%Y-%m-%dT%H%M%SZ";

/// When and where backups are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BackupSchedule {
    /// The folder for the backups. It exists.
    pub(super) folder: PathBuf,
    /// The time between two backups.
    pub(super) every: Duration,
    /// How many backups are kept.
    pub(super) keep: usize,
}

/// What is backed up, and who learns of it.
pub(super) struct BackedUp {
    /// The name of the service, with which the names of backups begin.
    pub(super) name: &'static str,
    pub(super) schema: Schema,
    pub(super) database: PathBuf,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) log: Logger,
}

/// Makes backups until the server stops.
pub(super) async fn run(schedule: BackupSchedule, of: BackedUp) {
    let (schedule, of) = (Arc::new(schedule), Arc::new(of));
    loop {
        let times = list(&schedule.folder, of.name).unwrap_or_default();
        tokio::time::sleep(schedule.wait(&times, of.clock.now())).await;
        let (at, now) = (Arc::clone(&schedule), of.clock.now());
        let made_of = Arc::clone(&of);
        let made = tokio::task::spawn_blocking(move || make(&at, &made_of, now)).await;
        let made = made.unwrap_or_else(|error| Err(error.into()));
        of.metrics.count_backup(made.is_ok());
        match made {
            Ok(path) => slog::info!(of.log, "the database is backed up"; "path" => %path.display()),
            Err(error) => {
                slog::error!(of.log, "the database cannot be backed up"; "error" => format!("{error:#}"));
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

impl BackupSchedule {
    /// How long to wait at `now` for the next backup, after those of these times.
    fn wait(&self, times: &[DateTime<Utc>], now: DateTime<Utc>) -> Duration {
        let Some(last) = times.iter().max() else {
            return Duration::ZERO;
        };
        let since = now.signed_duration_since(*last);
        // A clock that was set back must not put off the next backup any longer.
        let since = since.max(TimeDelta::zero()).to_std().unwrap_or_default();
        self.every.saturating_sub(since)
    }

    /// The times of the backups that are removed, the oldest ones.
    fn expired(&self, mut times: Vec<DateTime<Utc>>) -> Vec<DateTime<Utc>> {
        times.sort_unstable();
        times.truncate(times.len().saturating_sub(self.keep));
        times
    }
}

/// Makes a backup, removes old ones, and returns its path.
fn make(schedule: &BackupSchedule, of: &BackedUp, now: DateTime<Utc>) -> Result<PathBuf> {
    let path = schedule.folder.join(file_name(of.name, now));
    // By one name until it is complete, so that those that were interrupted do not pile up.
    let next = schedule.folder.join(format!("{}-next.db", of.name));
    match fs::remove_file(&next) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    dropspec_store::sqlite::back_up(of.schema, &of.database, &next)?;
    fs::rename(&next, &path).with_context(|| format!("cannot create {}", path.display()))?;
    for time in schedule.expired(list(&schedule.folder, of.name)?) {
        let old = schedule.folder.join(file_name(of.name, time));
        fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    Ok(path)
}

/// The times of the backups in a folder.
fn list(folder: &Path, name: &str) -> Result<Vec<DateTime<Utc>>> {
    let files =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    Ok(names.filter_map(|file| parse_time(name, &file)).collect())
}

fn file_name(name: &str, time: DateTime<Utc>) -> String {
    format!("{name}-{}.db", time.format(TIME))
}

/// The time of a backup by the name of its file; `None` for another file.
fn parse_time(name: &str, file: &str) -> Option<DateTime<Utc>> {
    let time = file.strip_prefix(name)?.strip_prefix('-')?;
    let time = NaiveDateTime::parse_from_str(time.strip_suffix(".db")?, TIME).ok()?;
    Some(time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(hour: u32) -> DateTime<Utc> {
        let text = format!("pets-2026-12-24T{hour:02}0000Z.db");
        parse_time("pets", &text).unwrap()
    }

    fn schedule() -> BackupSchedule {
        BackupSchedule {
            folder: PathBuf::new(),
            every: Duration::from_secs(2 * 3600),
            keep: 2,
        }
    }

    #[test]
    fn next_backup_is_due_by_the_newest_one() {
        let hour = Duration::from_secs(3600);
        for (times, now, expected) in [
            (&[][..], 5, Duration::ZERO),
            (&[3, 4], 5, hour),
            (&[4, 3], 5, hour),
            (&[1], 5, Duration::ZERO),
            (&[9], 5, 2 * hour),
        ] {
            let times: Vec<_> = times.iter().copied().map(time).collect();
            assert_eq!(schedule().wait(&times, time(now)), expected, "{times:?}");
        }
    }

    #[test]
    fn oldest_backups_expire() {
        let expired = schedule().expired(vec![time(3), time(1), time(4), time(2)]);
        assert_eq!(expired, [time(1), time(2)]);
        assert_eq!(schedule().expired(vec![time(3)]).len(), 0);
    }

    #[test]
    fn only_backups_of_the_service_have_a_time() {
        assert_eq!(file_name("pets", time(7)), "pets-2026-12-24T070000Z.db");
        for other in [
            "pets.db",
            "pets-next.db",
            "cats-2026-12-24T070000Z.db",
            "pets-2026-12-24T070000Z.db.unfinished",
        ] {
            assert_eq!(parse_time("pets", other), None, "{other}");
        }
    }
}
