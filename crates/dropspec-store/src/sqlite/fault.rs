//! The faults that keep the engine from its files.

use std::path::PathBuf;

use thiserror::Error;

use crate::{Cause, EngineError};

/// Why the engine does not write, neither reads nor writes, or cannot read. It is the source of the errors of calls that are
/// refused for it.
#[derive(Debug, Clone, Error)]
pub enum Fault {
    /// A commit or a checkpoint failed. The disk may lack what the page cache shows, and what failed may be stored
    /// nevertheless, so the engine neither reads nor writes until another process opens the database.
    #[error(
        "{operation} failed, so the database is no longer used; check the disk and start the server again"
    )]
    Stopped {
        /// What failed.
        operation: &'static str,
        /// The error of SQLite.
        #[source]
        source: Cause,
    },

    /// The database file, its write-ahead log or the index of the log is not at its path, or was not at an earlier check.
    /// Another process may have used the database without it meanwhile, so the engine does not write again.
    #[error("{} was removed or replaced, so nothing is written; if it was moved, move the same file back, then start the server again", path.display())]
    FileGone {
        /// The path.
        path: PathBuf,
    },

    /// The operating system failed to read a file. Nothing is refused for it, as it may concern a part of the file only, and
    /// it is over when [`Engine::check`](crate::sqlite::Engine::check) can read.
    #[error("the database could not be read: {cause}; check the disk")]
    Unreadable {
        /// The error of the operating system.
        cause: Cause,
    },
}

impl Fault {
    /// The fault that caused this error, if it is one.
    pub fn of(error: &EngineError) -> Option<&Fault> {
        match error {
            EngineError::Unavailable(cause) => cause.downcast_ref(),
            EngineError::Internal(_) | EngineError::OutcomeUnknown(_) => None,
        }
    }

    /// Whether reads are refused as well as writes.
    pub fn stops_reads(&self) -> bool {
        matches!(self, Fault::Stopped { .. })
    }
}

impl From<Fault> for EngineError {
    fn from(fault: Fault) -> EngineError {
        EngineError::unavailable(fault)
    }
}
