//! Errors of opening a database and of copying it.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine_types::Cause;
use rusqlite::ffi;
use thiserror::Error;

/// Why the database could not be opened. Nothing was created or changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path names a directory.
    #[error("{} is a directory; name a file for the database", path.display())]
    IsDirectory {
        /// The path given.
        path: PathBuf,
    },

    /// The parent directory does not exist, or is not a directory.
    #[error("{} cannot be a database, as {} is not a directory; create it or name another", path.display(), parent.display())]
    NoParent {
        /// The path given.
        path: PathBuf,
        /// The missing directory.
        parent: PathBuf,
    },

    /// The operating system denies access to the database, or to a file beside it.
    #[error("{} cannot be opened for reading and writing; check the permissions of the file and its directory", path.display())]
    NoAccess {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },

    /// The file is not a SQLite database.
    #[error("{} is not a SQLite database; the file was not changed, name another file", path.display())]
    NotADatabase {
        /// The path given.
        path: PathBuf,
    },

    /// The file is a SQLite database of another application.
    #[error("{} is the database of another application (application_id {application_id:#010x}); the file was not changed, name another file", path.display())]
    OtherApplication {
        /// The path given.
        path: PathBuf,
        /// The `application_id` of the file, 0 for none.
        application_id: i32,
    },

    /// A newer version of the program wrote the database.
    #[error("{} has schema version {found}, this program supports versions up to {known}; the file was not changed, run a newer version", path.display())]
    TooNew {
        /// The path given.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The latest schema version of this program.
        known: i64,
    },

    /// An older version of the program wrote the database, and this command does not migrate it.
    #[error("{} has schema version {found}, this command needs version {known}; start and stop its server once with this version of the program, which migrates it", path.display())]
    TooOld {
        /// The path given.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },

    /// There is a log of SQLite, and no database that it belongs to. It would be applied to a new one, or be lost.
    #[error("{} belongs to a database that was at {} and may hold its last changes; move it beside that database, under the name of that database, or remove it", log.display(), path.display())]
    LogWithoutDatabase {
        /// The path given.
        path: PathBuf,
        /// The write-ahead log or the rollback journal.
        log: PathBuf,
    },

    /// A copy from a database of another engine was not finished.
    #[error("{} holds an unfinished copy; run the same command `copy` again, which begins anew, or remove the file", path.display())]
    UnfinishedCopy {
        /// The file of the copy.
        path: PathBuf,
    },

    /// No version of the program writes this schema version.
    #[error("{} has schema version {found}, which no version of this program writes; the file was not changed, name another file", path.display())]
    InvalidVersion {
        /// The path given.
        path: PathBuf,
        /// The schema version of the database.
        found: i64,
    },

    /// A migration is not the one that was applied.
    #[error("migration {version} of {} was edited after it was applied: undo the edit and add another migration at the end; without records that matter, delete the database instead", path.display())]
    MigrationChanged {
        /// The path given.
        path: PathBuf,
        /// The schema version that the migration leads to.
        version: i64,
    },

    /// Another server has the database open.
    #[error("{} is in use by another server; stop it first, or name another file", path.display())]
    InUse {
        /// The path given.
        path: PathBuf,
    },

    /// The disk is full.
    #[error("{} could not be opened as a database, because its disk is full; free space and try again", path.display())]
    DiskFull {
        /// The path given.
        path: PathBuf,
        /// The error of SQLite or of the operating system.
        #[source]
        source: Cause,
    },

    /// SQLite may not create files in the directory of the database.
    #[error("{} could not be opened as a database, because files cannot be created beside it; make its directory writable", path.display())]
    ReadOnlyDirectory {
        /// The path given.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: Cause,
    },

    /// SQLite could not open, create or migrate the database.
    #[error("{} could not be opened as a database", path.display())]
    Database {
        /// The path given.
        path: PathBuf,
        /// The error of SQLite, the migrations or the pool.
        #[source]
        source: Cause,
    },
}

/// Why a database was not backed up or restored.
#[derive(Debug, Error)]
pub enum BackupError {
    /// One of the databases cannot be used, or a server uses it.
    #[error(transparent)]
    Open(#[from] OpenError),

    /// There is no database to copy.
    #[error("there is no database at {}", path.display())]
    Missing {
        /// The path given.
        path: PathBuf,
    },

    /// The file to be written exists.
    #[error("{} already exists; name another file", path.display())]
    Exists {
        /// The path given.
        path: PathBuf,
    },

    /// The backup to restore is the database itself. Restoring it would only replace the previous database.
    #[error("{} is the database itself; name a backup to restore", path.display())]
    SameFile {
        /// The path given.
        path: PathBuf,
    },

    /// Another process is writing the same copy.
    #[error("{} is being written by another process; wait for it, or name another file", path.display())]
    InProgress {
        /// The unfinished copy.
        path: PathBuf,
    },

    /// The temporary file of the copy is a link to another file, or no regular file. Nothing was written to it.
    #[error("{} is a link or not a regular file, so nothing was written to it; remove it, or name another file", path.display())]
    NotAPlainFile {
        /// The temporary file.
        path: PathBuf,
    },

    /// Another process has locked the database for all readers.
    #[error("{} is locked by another process and could not be copied; try again later", path.display())]
    Locked {
        /// The database that was to be copied.
        path: PathBuf,
    },

    /// The copy did not pass the integrity check, so the original is damaged.
    #[error("{} is damaged: {fault}", path.display())]
    Damaged {
        /// The database that was copied.
        path: PathBuf,
        /// The first fault that SQLite found.
        fault: String,
    },

    /// SQLite could not copy the database.
    #[error("{} could not be copied to {}", path.display(), copy.display())]
    Copy {
        /// The database that was to be copied.
        path: PathBuf,
        /// The file to be written.
        copy: PathBuf,
        /// The error of SQLite.
        #[source]
        source: rusqlite::Error,
    },

    /// The operating system could not write or rename a file.
    #[error("{} could not be written", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

impl OpenError {
    /// Creates the error for the database at `path` from that of SQLite or of a library.
    pub(crate) fn database(
        path: &Path,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> OpenError {
        let source: Cause = Arc::from(source.into());
        let path = path.to_owned();
        match find_sqlite_code(&*source) {
            // A full disk has no room for the index of the log, either.
            Some(ffi::SQLITE_FULL | ffi::SQLITE_IOERR_SHMSIZE) => {
                OpenError::DiskFull { path, source }
            }
            Some(ffi::SQLITE_READONLY_DIRECTORY | ffi::SQLITE_READONLY_CANTINIT) => {
                OpenError::ReadOnlyDirectory { path, source }
            }
            _ => OpenError::Database { path, source },
        }
    }

    /// Creates the error for the file at `path` from that of the operating system when it creates the file.
    pub(crate) fn io(path: &Path, source: io::Error) -> OpenError {
        match source.kind() {
            ErrorKind::StorageFull => OpenError::DiskFull {
                path: path.to_owned(),
                source: Arc::new(source),
            },
            _ => OpenError::no_access(path, source),
        }
    }

    /// Creates an [`OpenError::NoAccess`] for the file at `path`, with the error of the operating system as its source.
    pub(crate) fn no_access(path: &Path, source: io::Error) -> OpenError {
        OpenError::NoAccess {
            path: path.to_owned(),
            source,
        }
    }
}

/// Finds the extended result code of SQLite among an error and its sources.
fn find_sqlite_code(error: &(dyn Error + 'static)) -> Option<i32> {
    let mut errors = std::iter::successors(Some(error), |error| (*error).source());
    errors.find_map(|error| {
        let error = error.downcast_ref::<rusqlite::Error>()?;
        Some(error.sqlite_error()?.extended_code)
    })
}

#[cfg(test)]
mod tests;
