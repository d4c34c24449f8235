//! Checkpoints: the writer copies the log into the database file when it is long, and at the end.

use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::config::DbConfig;

use super::thread::{LONG_LOG_PAGES, WriterThread};
use crate::EngineError;
use crate::sqlite::fault::Fault;

/// How long the last checkpoint waits for other processes. If they do not end, the log stays, with what is not copied.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// The result of a checkpoint (`PRAGMA wal_checkpoint`).
pub(super) struct Checkpoint {
    /// Whether another connection prevented its end.
    is_blocked: bool,
    /// Pages in the log.
    pages: i64,
    /// Pages of them that are in the database file, too.
    copied: i64,
}

impl WriterThread {
    /// Copies the log into the database file when it is long. SQLite's automatic checkpoint is off, as it ignores errors
    /// (`sqlite3WalDefaultHook`). A failed fsync must not be repeated: the kernel may have dropped the pages, so the next
    /// one succeeds without them, and the log that still has them starts anew.
    pub(super) fn limit_log(&mut self) {
        if self.health.fault().is_some() {
            return;
        }
        let Some(log) = self.try_checkpoint("NOOP") else {
            return;
        };
        if log.pages < LONG_LOG_PAGES {
            self.long_log = LONG_LOG_PAGES;
        }
        if log.pages >= self.long_log {
            let result = self.try_checkpoint("RESTART");
            if result.is_some_and(|it| it.is_blocked) {
                // A reader does not end. The writer does not wait for it after every batch.
                self.long_log = log.pages * 2;
            }
        } else if log.pages - log.copied >= self.checkpoint_pages.into() {
            self.try_checkpoint("PASSIVE");
        }
    }

    /// Runs a checkpoint, and stops the engine if it fails. `None` if it failed, or could not be done now.
    fn try_checkpoint(&self, mode: &str) -> Option<Checkpoint> {
        match self.checkpoint(mode) {
            Ok(result) => Some(result),
            // Nothing is marked as copied (`walCheckpoint` sets `nBackfill` last), so the next one copies it again.
            Err(error) if is_temporary(&error) => None,
            Err(error) => {
                self.stop("a checkpoint", error);
                None
            }
        }
    }

    pub(super) fn checkpoint(&self, mode: &str) -> rusqlite::Result<Checkpoint> {
        let _paused = (mode != "NOOP").then(|| self.files.standing_read.pause());
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        let mut statement = self.files.connection.prepare_cached(&sql)?;
        statement.query_row([], |row| {
            Ok(Checkpoint {
                is_blocked: row.get(0)?,
                pages: row.get(1)?,
                copied: row.get(2)?,
            })
        })
    }

    /// Copies the log into the database and empties it. If that fails or is not safe, the connection does not try it again
    /// when it is closed, which would ignore errors (`sqlite3WalClose`). An error if a file of the database is not in place.
    pub(super) fn end(&self) -> Result<(), EngineError> {
        self.files.standing_read.close();
        let fault = self.check_files();
        let can_save = match &fault {
            None | Some(Fault::Unreadable { .. }) => true,
            // The database file may be moved back.
            Some(Fault::FileGone { .. }) => self.files.files.can_save_log(),
            Some(Fault::Stopped { .. }) => false,
        };
        let saved = can_save.then(|| self.empty_log()).transpose();
        let result = saved.and(fault.map_or(Ok(()), |fault| Err(fault.into())));
        if result.is_err() {
            // This cannot fail: it sets a flag of the connection.
            let _ = self
                .files
                .connection
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
        result
    }

    fn empty_log(&self) -> Result<(), EngineError> {
        // Beside a server it would wait for the server's standing read in vain.
        let timeout = self
            .files
            .lock
            .as_ref()
            .map_or(Duration::ZERO, |_| CLOSE_TIMEOUT);
        self.files.connection.busy_timeout(timeout)?;
        self.checkpoint("TRUNCATE")?;
        Ok(())
    }
}

/// Whether a checkpoint failed for a cause that leaves the files as they were: a lock, or a full disk.
fn is_temporary(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseBusy | DatabaseLocked | DiskFull))
}
