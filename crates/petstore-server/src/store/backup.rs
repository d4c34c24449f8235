//! Copies of the whole database, made beside a running server. `restore.rs` puts them back.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use thiserror::Error;

use crate::store::error::OpenError;
use crate::store::lock::is_at;
use crate::store::open::VERSION;
use crate::store::probe::{self, Found, beside};
use crate::store::restore;

/// All pages at once: a copy in steps would begin anew with each write of the server. The server can write meanwhile,
/// to its log.
const ALL_PAGES: i32 = -1;

/// What a copy is called until it is whole. One that was cut short stays, and the next of that name replaces it.
const UNFINISHED: &str = ".unfinished";

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

    /// A database cannot take its own place: what is kept of the one before would be lost for nothing.
    #[error("{} is the database itself; name the backup that is to take its place", path.display())]
    Itself {
        /// The path given.
        path: PathBuf,
    },

    /// Somebody else is making the same copy.
    #[error("{} is being written by another petstore; wait for it, or name another file", path.display())]
    InTheMaking {
        /// The unfinished copy.
        path: PathBuf,
    },

    /// Another process keeps everybody from reading the database.
    #[error("{} is locked by another process, so it could not be copied; try again when that is done", path.display())]
    Locked {
        /// What was to be copied.
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
    #[error("{} could not be copied to {}", path.display(), copy.display())]
    Copy {
        /// What was to be copied.
        path: PathBuf,
        /// Where to.
        copy: PathBuf,
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

/// Copies the database at `database`, which a server may be using, to the new file `copy`.
///
/// # Errors
///
/// When there is no copy at the end; then there is no file at `copy` either.
pub fn back_up(database: &Path, copy: &Path) -> Result<(), BackupError> {
    restore::settle(&probe::locate(database)?)?;
    let database = ours(database)?;
    let copy = probe::locate(copy)?;
    if copy.exists() {
        return Err(BackupError::Exists { path: copy });
    }
    let draft = Draft::of(&database, &database, &copy)?;
    // Unlike a rename, it does not replace what has come there meanwhile.
    match fs::hard_link(&draft.path, &copy) {
        Ok(()) => sync_folder(&copy),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(BackupError::Exists { path: copy })
        }
        // A file system without links.
        Err(_) => draft.place(&copy),
    }
}

/// The path of a database of ours, which is there.
pub(super) fn ours(path: &Path) -> Result<PathBuf, BackupError> {
    let path = probe::locate(path)?;
    match probe::probe(&path, VERSION)? {
        Found::Ours { .. } => Ok(path),
        Found::Absent | Found::Empty | Found::Blank => Err(BackupError::Absent { path }),
    }
}

/// A whole and sound copy that has no name yet. Dropped, it is removed.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    /// Locked, so that nobody else makes the same.
    file: File,
}

impl Draft {
    /// Copies a database to what is to become `copy`, and belongs to whom `model` belongs to.
    pub(super) fn of(database: &Path, model: &Path, copy: &Path) -> Result<Draft, BackupError> {
        let path = beside(copy, UNFINISHED);
        if path == database {
            return Err(BackupError::Exists { path });
        }
        let failed = |source| BackupError::File {
            path: path.clone(),
            source,
        };
        let draft = Draft {
            file: claim(&path, model)
                .map_err(failed)?
                .ok_or_else(|| BackupError::InTheMaking { path: path.clone() })?,
            path: path.clone(),
        };
        copy_to(database, &draft.path)?;
        draft.file.sync_all().map_err(failed)?;
        Ok(draft)
    }

    /// Gives it its name, for good, in the place of whatever has that name.
    pub(super) fn place(mut self, name: &Path) -> Result<(), BackupError> {
        fs::rename(&self.path, name).map_err(|source| BackupError::File {
            path: name.to_owned(),
            source,
        })?;
        // What has the old name from now on is somebody else's.
        self.path = PathBuf::new();
        sync_folder(name)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // It may have got its name.
        discard(&self.path);
    }
}

/// An empty file that nobody else writes to; `None` if somebody does.
fn claim(path: &Path, model: &Path) -> io::Result<Option<File>> {
    loop {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let file = file.open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {}
        }
        // Whoever had it may have given it its name before we could lock it.
        if is_at(&file, path)? {
            file.set_len(0)?;
            discard(&beside(path, "-journal"));
            belong(&file, model)?;
            return Ok(Some(file));
        }
    }
}

/// Gives a file the owner and the permissions of another: a copy is to be read by nobody who could not read the
/// database, and a restored database by whoever could.
fn belong(file: &File, model: &Path) -> io::Result<()> {
    let model = model.metadata()?;
    // Only the superuser may give files away; anybody else is the owner already, or has to do without.
    let _ = fchown(file, Some(model.uid()), Some(model.gid()));
    // A copy that was locked away to be kept is a database to be written again.
    file.set_permissions(Permissions::from_mode(model.mode() | 0o600))
}

fn copy_to(database: &Path, copy: &Path) -> Result<(), BackupError> {
    let verdict = copy_and_check(database, copy).map_err(|source| BackupError::Copy {
        path: database.to_owned(),
        copy: copy.to_owned(),
        source,
    })?;
    match verdict.as_deref() {
        None => Err(BackupError::Locked {
            path: database.to_owned(),
        }),
        Some("ok") => Ok(()),
        Some(verdict) => Err(BackupError::Damaged {
            path: database.to_owned(),
            verdict: verdict.split_whitespace().collect::<Vec<_>>().join(" "),
        }),
    }
}

/// What SQLite says of the copy; `None` if it could not be made for a lock.
fn copy_and_check(database: &Path, copy: &Path) -> rusqlite::Result<Option<String>> {
    let from = Connection::open_with_flags(database, existing())?;
    let mut to = Connection::open_with_flags(copy, existing())?;
    // A lock that does not go away in the time that a connection waits is no error here, but nothing was copied.
    if Backup::new(&from, &mut to)?.step(ALL_PAGES)? != StepResult::Done {
        return Ok(None);
    }
    // One file, without a log beside it, until a server opens it.
    to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map(Some)
}

/// A name is kept in its folder, and has to be brought to the disk, too.
pub(super) fn sync_folder(name: &Path) -> Result<(), BackupError> {
    let folder = name.parent().unwrap_or(Path::new("/"));
    let synced = File::open(folder).and_then(|it| it.sync_all());
    synced.map_err(|source| BackupError::File {
        path: name.to_owned(),
        source,
    })
}

pub(super) fn discard(file: &Path) {
    // What is not there need not be removed; anything else shows when the file is written.
    let _ = fs::remove_file(file);
}

pub(super) fn existing() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}
