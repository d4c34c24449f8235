//! What can go wrong in the store: opening it, and each call on it.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::ErrorCode;
use thiserror::Error;

use crate::refusal::Refusal;

/// Why a call on the store gave no result. Nothing of the call was kept.
#[derive(Debug, Clone, Error)]
pub enum StoreError {
    /// The rules say no.
    #[error(transparent)]
    Refused(#[from] Refusal),

    /// The store cannot serve this now, though it may later: the disk is full, the database locked,
    /// every connection taken, the store closing.
    #[error("the store cannot serve this now")]
    Unavailable(#[source] Cause),

    /// A defect of ours or of the database. Trying again is not expected to help.
    #[error("the store failed")]
    Internal(#[source] Cause),
}

/// What lies behind a [`StoreError`]; shared, as one failed commit fails every caller in it.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Why the store could not be opened. Nothing was created or changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path names a directory.
    #[error("{} is a directory; name a file for the database", path.display())]
    IsDirectory {
        /// The path given.
        path: PathBuf,
    },

    /// The folder that is to hold the database does not exist, or is not a folder.
    #[error("{} cannot hold a database, as {} is not a directory; create it or name another", path.display(), parent.display())]
    NoParent {
        /// The path given.
        path: PathBuf,
        /// The folder that is missing.
        parent: PathBuf,
    },

    /// The operating system does not let us read and write the database, or a file beside it.
    #[error("{} cannot be opened for reading and writing; check the permissions of the file and its directory", path.display())]
    NoAccess {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },

    /// The file is something else than a SQLite database.
    #[error("{} is not a SQLite database; it was left as it is, name another file", path.display())]
    NotADatabase {
        /// The path given.
        path: PathBuf,
    },

    /// The file is a SQLite database of another application.
    #[error("{} is the database of another application (application_id {application_id:#010x}); it was left as it is, name another file", path.display())]
    Foreign {
        /// The path given.
        path: PathBuf,
        /// The mark that the file bears, 0 for none.
        application_id: i32,
    },

    /// The database was written by a later petstore than this one.
    #[error("{} has schema version {found}, this petstore knows versions up to {known}; it was left as it is, run a newer petstore", path.display())]
    TooNew {
        /// The path given.
        path: PathBuf,
        /// The database's schema version.
        found: i64,
        /// The latest schema version known here.
        known: i64,
    },

    /// No petstore ever wrote this version.
    #[error("{} has schema version {found}, which no petstore gave it; it was left as it is, name another file", path.display())]
    NoSuchVersion {
        /// The path given.
        path: PathBuf,
        /// The database's schema version.
        found: i64,
    },

    /// Another server has the database open.
    #[error("{} is in use by another petstore server; stop it first, or name another file", path.display())]
    InUse {
        /// The path given.
        path: PathBuf,
    },

    /// SQLite could not open, create or migrate the database.
    #[error("{} could not be opened as a database", path.display())]
    Database {
        /// The path given.
        path: PathBuf,
        /// What SQLite, the migrations or the pool say.
        #[source]
        source: Cause,
    },
}

impl StoreError {
    /// A defect: something that holds by construction did not.
    pub(crate) fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> StoreError {
        StoreError::Internal(Arc::from(cause.into()))
    }

    /// A state of affairs that may pass.
    pub(crate) fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> StoreError {
        StoreError::Unavailable(Arc::from(cause.into()))
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::unavailable(error)
            }
            _ => StoreError::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn what_may_pass_is_unavailable_and_the_rest_is_internal() {
        let cases = [
            (ffi::SQLITE_FULL, true, "space can be made"),
            (ffi::SQLITE_BUSY, true, "the other process will be done"),
            (ffi::SQLITE_LOCKED, true, "so will the other connection"),
            (
                ffi::SQLITE_CORRUPT,
                false,
                "a damaged file does not mend itself",
            ),
            (
                ffi::SQLITE_CONSTRAINT,
                false,
                "the rules should have refused first",
            ),
        ];
        for (code, passes, reason) in cases {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let unavailable = matches!(StoreError::from(error), StoreError::Unavailable(_));
            assert_eq!(unavailable, passes, "{reason}");
        }
    }
}
