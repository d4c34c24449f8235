//! Copies of the whole database: one is made beside a running server, and put back while none runs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

use crate::store::error::OpenError;
use crate::store::lock::Lock;
use crate::store::open::VERSION;
use crate::store::probe::{self, Found, beside};

/// All pages at once: a copy in steps would begin anew with each write of the server. The server can write meanwhile,
/// to its log.
const ALL_PAGES: i32 = -1;

/// The copy that takes the place of the database in the end. While it is there, the database is not to be trusted.
const COMING: &str = ".restoring";

/// What the database was before, in case that the restore was a mistake.
const BEFORE: &str = ".before-restore";

/// Why there is no copy, or it was not put back.
#[derive(Debug, Error)]
pub enum BackupError {
    /// One of the databases cannot be used, or a server uses it.
    #[error(transparent)]
    Open(#[from] OpenError),

    /// There is nothing to be copied.
    #[error("there is no petstore database at {}", path.display())]
    Absent {
        /// The path given.
        path: PathBuf,
    },

    /// There is a file where the copy is to be.
    #[error("{} exists already; name another file for the backup", path.display())]
    Exists {
        /// The path given.
        path: PathBuf,
    },

    /// The copy is not sound, so what was copied is damaged.
    #[error("{} is damaged: {verdict}", path.display())]
    Damaged {
        /// What was copied.
        path: PathBuf,
        /// The first thing that SQLite found.
        verdict: String,
    },

    /// SQLite could not copy.
    #[error("{} could not be copied", path.display())]
    Copy {
        /// What was to be copied.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: rusqlite::Error,
    },

    /// The operating system could not put a file in its place.
    #[error("{} could not be written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
}

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

/// Copies the database at `database`, which a server may be using, to the new file `copy`.
///
/// # Errors
///
/// When there is no copy at the end; then there is no file at `copy` either.
pub fn back_up(database: &Path, copy: &Path) -> Result<(), BackupError> {
    refuse_half_restored(&probe::locate(database)?)?;
    let database = ours(database)?;
    if copy.exists() {
        return Err(BackupError::Exists {
            path: copy.to_owned(),
        });
    }
    let unfinished = beside(copy, ".unfinished");
    put(copy_of(&database, &unfinished), &unfinished, copy)
}

/// Puts `backup` in the place of the database at `database`, which need not exist. `now` is in Unix seconds.
///
/// # Errors
///
/// [`OpenError::InUse`] while a server uses the database. Whatever the error, the database is as it was before, or
/// will not be opened until a restore succeeds.
pub fn restore(backup: &Path, database: &Path, now: i64) -> Result<Restored, BackupError> {
    let backup = ours(backup)?;
    let database = probe::locate(database)?;
    let _lock = Lock::take(&database)?;
    let was_cut_short = half_restored(&database);
    let coming = beside(&database, COMING);
    if let Err(error) = copy_of(&backup, &coming) {
        // A cut restore before this one may have left no database; then the mark has to stay.
        if !was_cut_short {
            discard(&coming);
        }
        return Err(error);
    }
    let (old, new) = (secrets(&database, now), secrets(&coming, now));
    let compared = old.is_ok() && database.exists();
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());

    let before = beside(&database, BEFORE);
    // The log first: it must never stand beside a database that is not its own.
    for suffix in ["-wal", "-shm", ""] {
        let (from, to) = (beside(&database, suffix), beside(&before, suffix));
        if !was_cut_short {
            discard(&to);
        }
        match fs::rename(&from, &to) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                return Err(BackupError::File { path: to, source });
            }
            _ => {}
        }
    }
    put(Ok(()), &coming, &database)?;
    Ok(Restored {
        before: before.exists().then_some(before),
        compared,
        revived: new
            .accepted
            .difference(&old.accepted)
            .filter(|it| old.all.contains(*it))
            .cloned()
            .collect(),
        forgotten: old.all.difference(&new.all).cloned().collect(),
    })
}

/// A database of which a restore was cut short is not to be used: it may lack its log, or be gone.
pub(super) fn refuse_half_restored(database: &Path) -> Result<(), OpenError> {
    if half_restored(database) {
        return Err(OpenError::HalfRestored {
            path: database.to_owned(),
        });
    }
    Ok(())
}

fn half_restored(database: &Path) -> bool {
    beside(database, COMING).exists()
}

/// The path of a database of ours, which is there.
fn ours(path: &Path) -> Result<PathBuf, BackupError> {
    let path = probe::locate(path)?;
    match probe::probe(&path, VERSION)? {
        Found::Ours { .. } => Ok(path),
        Found::Absent | Found::Empty | Found::Blank => Err(BackupError::Absent { path }),
    }
}

/// Makes a sound copy.
fn copy_of(database: &Path, copy: &Path) -> Result<(), BackupError> {
    discard(copy);
    let verdict = copy_and_check(database, copy).map_err(|source| BackupError::Copy {
        path: database.to_owned(),
        source,
    })?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(BackupError::Damaged {
            path: database.to_owned(),
            verdict: verdict.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    }
}

fn copy_and_check(database: &Path, copy: &Path) -> rusqlite::Result<String> {
    let from = Connection::open_with_flags(database, existing())?;
    let mut to = Connection::open(copy)?;
    Backup::new(&from, &mut to)?.step(ALL_PAGES)?;
    // One file, without a log beside it, until a server opens it.
    to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
}

/// Gives a finished file its name, for good; or removes what did not come to be.
fn put(made: Result<(), BackupError>, file: &Path, place: &Path) -> Result<(), BackupError> {
    let placed = made.and_then(|()| {
        let durable = || {
            File::open(file)?.sync_all()?;
            fs::rename(file, place)?;
            // The name is kept in the directory.
            File::open(
                place
                    .parent()
                    .filter(|it| *it != Path::new(""))
                    .unwrap_or(Path::new(".")),
            )?
            .sync_all()
        };
        durable().map_err(|source| BackupError::File {
            path: place.to_owned(),
            source,
        })
    });
    if placed.is_err() && half_made(file) {
        discard(file);
    }
    placed
}

/// Whether it is a backup that did not come to be. A restore that did not has to be noticed by whoever comes next.
fn half_made(file: &Path) -> bool {
    file.extension().is_some_and(|it| it == "unfinished")
}

fn discard(file: &Path) {
    // What is not there need not be removed; anything else shows when the file is written.
    let _ = fs::remove_file(file);
}

fn existing() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
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
