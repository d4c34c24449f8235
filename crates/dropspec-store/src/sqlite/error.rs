//! The error of the files of a database: it could not be opened, backed up, restored or copied.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ffi;
use thiserror::Error;

use crate::Cause;

const NOT_OPENED: &str = "could not be opened as a database";

const DISK_FULL: &str = ", because its disk is full; free space and try again";

/// Why a database could not be opened, backed up, restored or copied. If it could not be opened, nothing was created or
/// changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another server has the database open.
    #[error("{} is in use by another server; stop it first, or name another file", path.display())]
    InUse {
        /// The path given.
        path: PathBuf,
    },

    /// What is at a path cannot be used, or would be lost. The text names the path, and says what to do.
    #[error("{0}")]
    Refused(String),

    /// The operating system or SQLite failed.
    #[error("{message}")]
    Failed {
        /// The path, what failed, and what to do.
        message: String,
        /// The error of SQLite, of the operating system or of a library.
        #[source]
        source: Cause,
    },
}

impl OpenError {
    /// Creates an [`OpenError::Refused`]: the path, followed by the `reason`.
    pub(crate) fn refused(path: &Path, reason: impl Display) -> OpenError {
        OpenError::Refused(format!("{} {reason}", path.display()))
    }

    /// Creates an [`OpenError::Failed`]: the path, followed by the `problem`.
    pub(crate) fn failed(
        path: &Path,
        problem: impl Display,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> OpenError {
        OpenError::Failed {
            message: format!("{} {problem}", path.display()),
            source: Arc::from(source.into()),
        }
    }

    /// Creates the error for the database at `path` from that of SQLite or of a library.
    pub(crate) fn database(
        path: &Path,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> OpenError {
        let source = source.into();
        let reason = match find_sqlite_code(&*source) {
            // A full disk has no room for the index of the log, either.
            Some(ffi::SQLITE_FULL | ffi::SQLITE_IOERR_SHMSIZE) => DISK_FULL,
            Some(ffi::SQLITE_READONLY_DIRECTORY | ffi::SQLITE_READONLY_CANTINIT) => {
                ", because files cannot be created beside it; make its directory writable"
            }
            _ => "",
        };
        OpenError::failed(path, format!("{NOT_OPENED}{reason}"), source)
    }

    /// Creates the error for the file at `path` from that of the operating system when it creates the file.
    pub(crate) fn cannot_create(path: &Path, source: io::Error) -> OpenError {
        if source.kind() == ErrorKind::StorageFull {
            return OpenError::failed(path, format!("{NOT_OPENED}{DISK_FULL}"), source);
        }
        OpenError::no_access(path, source)
    }

    /// The operating system denies access to the database, or to a file beside it.
    pub(crate) fn no_access(path: &Path, source: io::Error) -> OpenError {
        let problem = "cannot be opened for reading and writing; check the permissions of the file and its directory";
        OpenError::failed(path, problem, source)
    }

    /// The operating system could not write or rename a file.
    pub(crate) fn cannot_write(path: &Path, source: io::Error) -> OpenError {
        OpenError::failed(path, "could not be written", source)
    }

    pub(crate) fn is_directory(path: &Path) -> OpenError {
        OpenError::refused(path, "is a directory; name a file for the database")
    }

    pub(crate) fn not_a_database(path: &Path) -> OpenError {
        let reason = "is not a SQLite database; the file was not changed, name another file";
        OpenError::refused(path, reason)
    }

    /// The file to be written exists.
    pub(crate) fn exists(path: &Path) -> OpenError {
        OpenError::refused(path, "already exists; name another file")
    }

    /// The temporary file of a copy is a link to another file, or no regular file. Nothing was written to it.
    pub(crate) fn not_a_plain_file(path: &Path) -> OpenError {
        let reason = "is a link or not a regular file, so nothing was written to it; remove it, or name another file";
        OpenError::refused(path, reason)
    }
}

/// Whether SQLite could not read a file, or found it damaged: it says so, too, where a read fails with EIO
/// (`SQLITE_IOERR_CORRUPTFS`).
pub(crate) fn may_be_unreadable(error: &(dyn Error + 'static)) -> bool {
    let code = find_sqlite_code(error).map(|code| code & 0xff);
    matches!(code, Some(ffi::SQLITE_IOERR | ffi::SQLITE_CORRUPT))
}

/// Finds the extended result code of SQLite among an error and its sources.
fn find_sqlite_code(error: &(dyn Error + 'static)) -> Option<i32> {
    let mut errors = std::iter::successors(Some(error), |error| (*error).source());
    errors.find_map(|error| {
        // A shared error is a source as such, and not what it shares.
        let shared = error.downcast_ref::<Cause>();
        let error = error.downcast_ref::<rusqlite::Error>();
        let error = error.or_else(|| shared?.downcast_ref())?;
        Some(error.sqlite_error()?.extended_code)
    })
}

#[cfg(test)]
mod tests;
