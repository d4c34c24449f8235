//! Removes what a failed creation of a database left.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use crate::lock::Lock;
use crate::probe::{FileState, append_suffix};

/// Removes the files that a failed creation of the database left, when it is dropped without [`FailureCleanup::cancel`].
/// It must be dropped after the connection that failed.
pub(super) struct FailureCleanup {
    database: PathBuf,
    remove: Vec<PathBuf>,
    /// Whether the database file was empty before, and has to be empty again.
    truncate: bool,
}

impl FailureCleanup {
    pub(super) fn new(path: &Path, lock: &Lock, found: FileState) -> FailureCleanup {
        let mut remove: Vec<PathBuf> = lock
            .created_file()
            .map(Path::to_owned)
            .into_iter()
            .collect();
        if found == FileState::Missing {
            remove.push(path.to_owned());
        }
        let logs = ["-wal", "-shm"].map(|suffix| append_suffix(path, suffix));
        remove.extend(logs.into_iter().filter(|log| !log.exists()));
        FailureCleanup {
            database: path.to_owned(),
            remove,
            truncate: found == FileState::Empty,
        }
    }

    pub(super) fn cancel(mut self) {
        self.remove.clear();
        self.truncate = false;
    }
}

impl Drop for FailureCleanup {
    fn drop(&mut self) {
        // A failure here is ignored: the error that is being returned is the more useful one.
        for path in &self.remove {
            let _ = fs::remove_file(path);
        }
        if self.truncate {
            let _ = OpenOptions::new()
                .write(true)
                .truncate(true)
                .open(&self.database);
        }
    }
}
