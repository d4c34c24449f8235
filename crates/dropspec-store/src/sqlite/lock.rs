//! The lock that keeps a second server from the same database: a locked file beside it, and the database file itself,
//! for a process that reaches it by another name or after the lock file was removed.
//!
//! The operating system releases both when the process ends. The lock file is never removed: otherwise two servers
//! that create a database could each lock another file of that name. These locks (flock) and those of SQLite (fcntl)
//! are independent.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::sqlite::access::OWNER_ONLY;
use crate::sqlite::error::OpenError;
use crate::sqlite::probe::append_suffix;

/// The exclusive lock of a database, which keeps a second server from it. Released on drop.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    database: PathBuf,
    /// The locked database file, once it exists.
    locked_database: Option<File>,
}

impl Lock {
    /// Takes the lock of the database at `path`: locks the file beside it, and the database file if it exists.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another process holds the lock.
    pub(crate) fn take(path: &Path) -> Result<Lock, OpenError> {
        let lock_path = append_suffix(path, ".lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let opened = options.mode(OWNER_ONLY).open(&lock_path);
        let file = opened.map_err(|error| OpenError::no_access(&lock_path, error))?;
        try_lock(&file, &lock_path, path)?;
        let mut lock = Lock {
            file,
            database: path.to_owned(),
            locked_database: None,
        };
        lock.lock_database()?;
        Ok(lock)
    }

    /// Locks the database file as well, if it exists by now. The file stays open as long as the lock, and so longer than
    /// the connections: closing any descriptor of the file releases the SQLite locks of the whole process.
    ///
    /// # Errors
    ///
    /// [`OpenError::InUse`] if another process holds the lock.
    pub(crate) fn lock_database(&mut self) -> Result<(), OpenError> {
        if self.locked_database.is_some() {
            return Ok(());
        }
        match File::open(&self.database) {
            Ok(file) => {
                try_lock(&file, &self.database, &self.database)?;
                self.locked_database = Some(file);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(OpenError::no_access(&self.database, error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that another thread is starting may inherit the descriptors for a
        // moment.
        for file in self.locked_database.iter().chain([&self.file]) {
            let _ = file.unlock();
        }
    }
}

/// Whether the open file `file` is still the one at `path`, neither removed, renamed nor replaced.
pub(crate) fn is_file_at(file: &File, path: &Path) -> io::Result<bool> {
    let file = file.metadata()?;
    match path.metadata() {
        Ok(found) => Ok((found.dev(), found.ino()) == (file.dev(), file.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Locks an open file without waiting. Errors name its path `name`, or the `database` that is in use.
fn try_lock(file: &File, name: &Path, database: &Path) -> Result<(), OpenError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => OpenError::InUse {
            path: database.to_owned(),
        },
        TryLockError::Error(source) => OpenError::no_access(name, source),
    })
}
