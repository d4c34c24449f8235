//! The lock that keeps a second server from the same database: a file beside it, locked while the store is open.
//!
//! The operating system lets go of it when the process ends, however it ends. The file itself stays: were it removed,
//! two servers could each lock another file of that name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::store::error::OpenError;
use crate::store::probe::beside;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
    path: PathBuf,
    created: bool,
}

impl Lock {
    /// Takes the lock of the database at `path`.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another holds it.
    pub(super) fn take(path: &Path) -> Result<Lock, OpenError> {
        let lock_path = beside(path, ".lock");
        let no_access = |source| OpenError::NoAccess {
            path: lock_path.clone(),
            source,
        };
        let (file, created) = open(&lock_path).map_err(no_access)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock {
                _file: file,
                path: lock_path,
                created,
            }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
                path: path.to_owned(),
            }),
            Err(TryLockError::Error(source)) => Err(no_access(source)),
        }
    }

    /// The lock's file, if it was not there before.
    pub(super) fn created(&self) -> Option<&Path> {
        self.created.then_some(&self.path)
    }
}

/// Opens the file, and tells whether it had to be created.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let existing = || OpenOptions::new().read(true).write(true).open(path);
    match OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
    {
        Ok(file) => Ok((file, true)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok((existing()?, false)),
        Err(error) => Err(error),
    }
}
