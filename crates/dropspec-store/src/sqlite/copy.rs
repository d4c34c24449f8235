//! Copies a whole database to a new file beside its destination, and checks the copy.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::sqlite::access::OWNER_ONLY;
use crate::sqlite::error::OpenError;
use crate::sqlite::lock::is_file_at;
use crate::sqlite::probe::{self, FileState, append_suffix};
use crate::sqlite::schema::Schema;

/// The argument with which SQLite's backup copies all pages in one step. A copy in several steps restarts after each
/// write of the server. During the one step, the server can write to its log.
const ALL_PAGES: i32 = -1;

/// File name suffix of a database copy until it is complete. The next copy to the same file replaces an interrupted one.
const UNFINISHED: &str = ".unfinished";

/// Checks that `path` is a database of the application, and returns its resolved path.
pub(crate) fn locate_database(schema: Schema, path: &Path) -> Result<PathBuf, OpenError> {
    let path = probe::resolve_path(path)?;
    match probe::inspect_file(&path, schema)? {
        FileState::Database { .. } => Ok(path),
        FileState::Missing | FileState::Empty | FileState::Blank => Err(OpenError::Refused(
            format!("there is no database at {}", path.display()),
        )),
    }
}

/// A complete, checked copy of a database under a temporary name. Its file is removed when the value is dropped.
#[derive(Debug)]
pub(crate) struct TemporaryCopy {
    path: PathBuf,
    /// Locked, so that no other process writes the same copy.
    file: File,
}

impl TemporaryCopy {
    /// Copies `database` to a temporary file beside `destination`, with the owner of the file `model`.
    pub(crate) fn create(
        database: &Path,
        model: &Path,
        destination: &Path,
    ) -> Result<TemporaryCopy, OpenError> {
        if append_suffix(destination, UNFINISHED) == database {
            return Err(OpenError::exists(database));
        }
        let copy = TemporaryCopy::empty(model, destination)?;
        copy_database(database, &copy.path)?;
        Ok(copy)
    }

    /// Creates an empty temporary file beside `destination`, with the owner of the file `model`.
    pub(crate) fn empty(model: &Path, destination: &Path) -> Result<TemporaryCopy, OpenError> {
        let path = append_suffix(destination, UNFINISHED);
        Ok(TemporaryCopy {
            file: create_locked(&path, model)?,
            path,
        })
    }

    /// The temporary name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the copy to the path `name`, unless a file is there, and syncs both.
    pub(crate) fn publish_new(self, name: &Path) -> Result<(), OpenError> {
        self.sync()?;
        // Unlike a rename, a link does not replace a file that another process has created meanwhile.
        match fs::hard_link(&self.path, name) {
            Ok(()) => sync_directory(name),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(OpenError::exists(name)),
            // A file system without hard links.
            Err(_) => self.rename_to_new(name),
        }
    }

    /// Renames the copy to the path `name` as [`TemporaryCopy::rename_to`], unless something is there. A file that another process
    /// creates between the look and the rename is replaced.
    fn rename_to_new(self, name: &Path) -> Result<(), OpenError> {
        match fs::symlink_metadata(name) {
            Ok(_) => Err(OpenError::exists(name)),
            Err(error) if error.kind() == ErrorKind::NotFound => self.rename_to(name),
            Err(error) => Err(OpenError::cannot_write(name, error)),
        }
    }

    fn sync(&self) -> Result<(), OpenError> {
        let synced = self.file.sync_all();
        synced.map_err(|error| OpenError::cannot_write(&self.path, error))
    }

    /// Renames the copy to the path `name`, replaces any file there, and syncs both.
    pub(crate) fn rename_to(mut self, name: &Path) -> Result<(), OpenError> {
        self.sync()?;
        fs::rename(&self.path, name).map_err(|error| OpenError::cannot_write(name, error))?;
        // A file that gets the temporary name from now on belongs to another process.
        self.path = PathBuf::new();
        sync_directory(name)
    }
}

impl Drop for TemporaryCopy {
    fn drop(&mut self) {
        remove_if_present(&self.path);
    }
}

/// Creates or empties the file at `path` and locks it, with the owner of the file `model`.
///
/// # Errors
///
/// If another process has locked it, or somebody has put a link there: the copy would be written to another file.
fn create_locked(path: &Path, model: &Path) -> Result<File, OpenError> {
    let failed = |error| OpenError::cannot_write(path, error);
    let not_plain = || OpenError::not_a_plain_file(path);
    loop {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let opened = options.mode(OWNER_ONLY).custom_flags(libc::O_NOFOLLOW);
        let file = match opened.open(path) {
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => return Err(not_plain()),
            opened => opened.map_err(failed)?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let reason =
                    "is being written by another process; wait for it, or name another file";
                return Err(OpenError::refused(path, reason));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Ok(()) => {}
        }
        // The process that had the lock before may have renamed the file meanwhile.
        if is_file_at(&file, path).map_err(failed)? {
            let found = file.metadata().map_err(failed)?;
            if !found.is_file() || found.nlink() != 1 {
                return Err(not_plain());
            }
            remove_if_present(&append_suffix(path, "-journal"));
            empty_with_owner(&file, model).map_err(failed)?;
            return Ok(file);
        }
    }
}

/// Empties `file`, gives it the owner of `model`, and makes it readable and writable by the owner only.
fn empty_with_owner(file: &File, model: &Path) -> io::Result<()> {
    file.set_len(0)?;
    let model = model.metadata()?;
    // Only the superuser may change the owner. For other users a failure is expected.
    let _ = fchown(file, Some(model.uid()), Some(model.gid()));
    file.set_permissions(Permissions::from_mode(OWNER_ONLY))
}

/// Copies a database, and fails if the copy does not pass SQLite's integrity check.
fn copy_database(database: &Path, copy: &Path) -> Result<(), OpenError> {
    let result = copy_and_check(database, copy).map_err(|error| {
        let problem = format!("could not be copied to {}", copy.display());
        OpenError::failed(database, problem, error)
    })?;
    match result.as_deref() {
        None => {
            let reason = "is locked by another process and could not be copied; try again later";
            Err(OpenError::refused(database, reason))
        }
        Some("ok") => Ok(()),
        Some(fault) => {
            let fault = fault.split_whitespace().collect::<Vec<_>>().join(" ");
            Err(OpenError::refused(database, format!("is damaged: {fault}")))
        }
    }
}

/// Copies a database, and returns the result of SQLite's integrity check: `ok` or the first fault found. Returns `None`
/// if the database is locked and was not copied.
fn copy_and_check(database: &Path, copy: &Path) -> rusqlite::Result<Option<String>> {
    let existing = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(database, existing)?;
    let mut to = Connection::open_with_flags(copy, existing)?;
    // A lock that outlasts the busy timeout is not an error for SQLite, but nothing was copied.
    if Backup::new(&from, &mut to)?.step(ALL_PAGES)? != StepResult::Done {
        return Ok(None);
    }
    // A single file without a log beside it, until a server opens it.
    to.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map(Some)
}

/// Syncs the directory of the file `name` to the disk, so that a new name of the file survives a crash.
pub(crate) fn sync_directory(name: &Path) -> Result<(), OpenError> {
    let directory = name.parent().unwrap_or(Path::new("/"));
    let synced = File::open(directory).and_then(|it| it.sync_all());
    synced.map_err(|error| OpenError::cannot_write(name, error))
}

/// Removes a file. Errors are ignored: if it cannot be removed, the write that follows fails.
pub(crate) fn remove_if_present(file: &Path) {
    let _ = fs::remove_file(file);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn copy_without_hard_links_is_published_only_at_a_free_path() {
        let directory = TempDir::new().unwrap();
        let [file, link, free] = ["file", "link", "free"].map(|it| directory.path().join(it));
        fs::write(&file, "of somebody else").unwrap();
        symlink("missing", &link).unwrap();
        let publish = |name: &Path| {
            let copy = TemporaryCopy::empty(directory.path(), name).unwrap();
            fs::write(copy.path(), "copy").unwrap();
            copy.rename_to_new(name).map_err(|error| error.to_string())
        };
        for taken in [&file, &link] {
            let message = format!("{} already exists; name another file", taken.display());
            assert_eq!(publish(taken), Err(message));
            assert!(!append_suffix(taken, UNFINISHED).exists());
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "of somebody else");
        assert!(link.is_symlink());
        assert_eq!(publish(&free), Ok(()));
        assert_eq!(fs::read_to_string(&free).unwrap(), "copy");
    }
}
