//! Puts a copy in the place of the database, while no server runs.
//!
//! Until the copy is whole, nothing is touched. Then it gets the name by which everybody knows what is to be done, and
//! whoever comes next does the rest if this process cannot.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::store::backup::{BackupError, Draft, discard, existing, ours, sync_folder};
use crate::store::error::OpenError;
use crate::store::lock::Lock;
use crate::store::probe::{self, beside};

/// A whole and sound copy that is to take the place of the database.
const COMING: &str = ".restoring";

/// What the database was before, in case that the restore was a mistake.
const BEFORE: &str = ".before-restore";

/// The files that SQLite keeps beside a database. One must never stand beside a database that is not its own.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What a restore did to the API keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Where the database as it was before is kept, if there was one.
    pub before: Option<PathBuf>,
    /// Whether the database as it was before could be read, and compared.
    pub compared: bool,
    /// Prefixes of secrets that had been revoked, or had been replaced, and are accepted again.
    pub revived: Vec<String>,
    /// Prefixes of secrets that were made since the backup, and are unknown now.
    pub forgotten: Vec<String>,
}

/// Puts `backup` in the place of the database at `database`, which need not exist. `now` is in Unix seconds.
///
/// # Errors
///
/// [`OpenError::InUse`] while a server uses the database. Whatever the error, the database is as it was before, or
/// the restore is carried out by whoever uses the database next.
pub fn restore(backup: &Path, database: &Path, now: i64) -> Result<Restored, BackupError> {
    let backup = ours(backup)?;
    let database = probe::locate(database)?;
    if backup == database {
        return Err(BackupError::Itself { path: database });
    }
    refuse_what_is_no_file(&database)?;
    let lock = Lock::take(&database)?;
    let restored = replace(&backup, &database, now);
    if restored.is_err()
        && let Some(created) = lock.created()
    {
        discard(created);
    }
    restored
}

/// The same, for who holds the lock.
fn replace(backup: &Path, database: &Path, now: i64) -> Result<Restored, BackupError> {
    let was_cut_short = was_cut_short(database);
    finish(database)?;
    let existed = database.exists();
    let (before, coming) = (beside(database, BEFORE), beside(database, COMING));
    // What these named when the restore was begun that has just been finished, is the database now.
    let is_done = was_cut_short && (backup == before || backup == coming);
    if !is_done {
        let model = if existed { database } else { backup };
        let draft = Draft::of(backup, model, &coming)?;
        for log in LOGS {
            discard(&beside(&before, log));
        }
        draft.place(&coming)?;
        finish(database)?;
    }
    let before = Some(before).filter(|it| existed && it.exists());
    let old = before.as_ref().map(|it| secrets(it, now));
    Ok(compared(before.clone(), old, secrets(database, now)))
}

/// Carries out a restore of the database at `path` that was cut short, if one was.
///
/// # Errors
///
/// [`OpenError::InUse`] while another does so.
pub(super) fn settle(path: &Path) -> Result<(), BackupError> {
    if was_cut_short(path) {
        let _lock = Lock::take(path)?;
        finish(path)?;
    }
    Ok(())
}

/// The same, for who holds the lock. However often it is cut short itself, it can be begun again.
pub(super) fn finish(database: &Path) -> Result<(), BackupError> {
    if !was_cut_short(database) {
        return Ok(());
    }
    let coming = ours(&beside(database, COMING))?;
    let before = beside(database, BEFORE);
    if database.exists() {
        for suffix in LOGS.into_iter().chain([""]) {
            rename(&beside(database, suffix), &beside(&before, suffix))?;
        }
    } else {
        // A log that outlived its database must stand neither beside what comes, nor beside what was kept earlier.
        for log in LOGS {
            discard(&beside(database, log));
        }
    }
    rename(&coming, database)?;
    sync_folder(database)
}

fn was_cut_short(database: &Path) -> bool {
    beside(database, COMING).exists()
}

/// Renames a file, if it is there.
fn rename(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::rename(from, to) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(BackupError::File {
            path: to.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Only a file can be replaced; it may be damaged, or not there.
fn refuse_what_is_no_file(path: &Path) -> Result<(), OpenError> {
    let path = path.to_owned();
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(OpenError::IsDirectory { path }),
        Ok(found) if !found.is_file() => Err(OpenError::NotADatabase { path }),
        _ => Ok(()),
    }
}

/// The prefixes of the secrets in a database.
#[derive(Default)]
struct Secrets {
    all: BTreeSet<String>,
    accepted: BTreeSet<String>,
}

fn secrets(database: &Path, now: i64) -> rusqlite::Result<Secrets> {
    let connection = Connection::open_with_flags(database, existing())?;
    let mut statement = connection.prepare(
        "SELECT s.prefix, k.revoked_at IS NULL AND coalesce(s.expires_at > ?, TRUE)
         FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id",
    )?;
    let mut secrets = Secrets::default();
    let mut rows = statement.query([now])?;
    while let Some(row) = rows.next()? {
        let prefix: String = row.get(0)?;
        if row.get(1)? {
            secrets.accepted.insert(prefix.clone());
        }
        secrets.all.insert(prefix);
    }
    Ok(secrets)
}

fn compared(
    before: Option<PathBuf>,
    old: Option<rusqlite::Result<Secrets>>,
    new: rusqlite::Result<Secrets>,
) -> Restored {
    let (Some(Ok(old)), Ok(new)) = (old, new) else {
        return Restored {
            before,
            ..Restored::default()
        };
    };
    let revived = new.accepted.difference(&old.accepted);
    Restored {
        before,
        compared: true,
        revived: revived
            .filter(|it| old.all.contains(*it))
            .cloned()
            .collect(),
        forgotten: old.all.difference(&new.all).cloned().collect(),
    }
}
