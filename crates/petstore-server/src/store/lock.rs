//! The lock that keeps a second server from the same database: a file beside it, locked while the store is open, and
//! the database itself, for those who reach it by another name or after the file beside it was removed.
//!
//! The operating system lets go of both when the process ends, however it ends. The file stays: were it removed, two
//! servers that make a database could each lock another file of that name. These locks (flock) and those that SQLite
//! takes (fcntl) do not see each other.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::store::error::OpenError;
use crate::store::probe::beside;

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
    created: bool,
    database: PathBuf,
    /// The database that was there when it was locked.
    held: Option<File>,
}

impl Lock {
    /// Takes the lock of the database at `path`, and of the file there, if there is one.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another holds it.
    pub(super) fn take(path: &Path) -> Result<Lock, OpenError> {
        let lock_path = beside(path, ".lock");
        let (file, created) = open(&lock_path).map_err(|error| no_access(&lock_path, error))?;
        try_lock(&file, &lock_path, path)?;
        let mut lock = Lock {
            file,
            path: lock_path,
            created,
            database: path.to_owned(),
            held: None,
        };
        lock.hold()?;
        Ok(lock)
    }

    /// Locks the database itself, once it is there. It stays open as long as the lock, and so longer than the
    /// connections: the first to close the file in a process takes SQLite's locks with it.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another holds it.
    pub(super) fn hold(&mut self) -> Result<(), OpenError> {
        if self.held.is_some() {
            return Ok(());
        }
        match File::open(&self.database) {
            Ok(file) => {
                try_lock(&file, &self.database, &self.database)?;
                self.held = Some(file);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(no_access(&self.database, error)),
        }
    }

    /// Whether the database that is held is still the one at its path.
    ///
    /// # Errors
    ///
    /// When the operating system cannot tell.
    pub(super) fn is_in_place(&self) -> io::Result<bool> {
        let Some(held) = &self.held else {
            return Ok(false);
        };
        is_at(held, &self.database)
    }

    /// The lock's file, if it was not there before.
    pub(super) fn created(&self) -> Option<&Path> {
        self.created.then_some(&self.path)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that is being started by another thread has these files, too, for a moment.
        for file in self.held.iter().chain([&self.file]) {
            let _ = file.unlock();
        }
    }
}

/// Whether an open file is still the one at `path`.
///
/// # Errors
///
/// When the operating system cannot tell.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let file = file.metadata()?;
    match path.metadata() {
        Ok(found) => Ok((found.dev(), found.ino()) == (file.dev(), file.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Locks a file, on behalf of the database at `path`.
fn try_lock(file: &File, name: &Path, path: &Path) -> Result<(), OpenError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => OpenError::InUse {
            path: path.to_owned(),
        },
        TryLockError::Error(source) => no_access(name, source),
    })
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

fn no_access(path: &Path, source: io::Error) -> OpenError {
    OpenError::NoAccess {
        path: path.to_owned(),
        source,
    }
}
