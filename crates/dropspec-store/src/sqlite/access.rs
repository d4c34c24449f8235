//! Who can read and write the files of a database: their owner only, whatever the umask is.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::sqlite::probe::append_suffix;

/// The permissions of every file of a database and of its copies. SQLite gives those of the database to its log and the
/// index of the log.
pub(crate) const OWNER_ONLY: u32 = 0o600;

/// File name suffixes of a database and of the files that may be beside it.
const SUFFIXES: [&str; 8] = [
    "",
    "-wal",
    "-shm",
    "-journal",
    ".lock",
    ".before-restore",
    ".before-restore-wal",
    ".before-restore-shm",
];

/// Creates the empty file of a new database. Does nothing if a file is there.
pub(crate) fn create_database_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let created = options
        .write(true)
        .create_new(true)
        .mode(OWNER_ONLY)
        .open(path);
    match created {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes the files of a database that others can read or write accessible to their owner only, and returns their paths.
/// An earlier version may have created them. A file of another user is left as it is.
pub(crate) fn restrict_files(database: &Path) -> Vec<PathBuf> {
    let paths = SUFFIXES
        .iter()
        .map(|suffix| append_suffix(database, suffix));
    paths
        .filter(|path| restrict(path).unwrap_or(false))
        .collect()
}

/// Returns whether the permissions had to be changed.
fn restrict(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    if !found.is_file() || found.permissions().mode() & 0o077 == 0 {
        return Ok(false);
    }
    fs::set_permissions(path, Permissions::from_mode(OWNER_ONLY))?;
    Ok(true)
}
