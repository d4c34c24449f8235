//! Errors of reads and writes.

use std::error::Error;
use std::sync::Arc;

use thiserror::Error;

/// The error behind an [`EngineError`]. It is shared, as one failed commit can fail many writes.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Why a read or write of the engine failed. A failed write stored nothing, unless the error is
/// [`EngineError::OutcomeUnknown`].
#[derive(Debug, Clone, Error)]
pub enum EngineError {
    /// A temporary cause: the disk is full or fails, the database locked or away, every connection in use, the engine closed.
    #[error("the database is unavailable at the moment")]
    Unavailable(#[source] Cause),

    /// A defect of the program or of the database. A retry is not expected to help.
    #[error("the database failed")]
    Internal(#[source] Cause),

    /// The write may or may not be stored: its commit failed, or did not end in time.
    #[error("the write may or may not be stored")]
    OutcomeUnknown(#[source] Cause),
}

impl EngineError {
    /// Creates an [`EngineError::Internal`] from its cause: a defect, for which a retry is not expected to help.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> EngineError {
        EngineError::Internal(Arc::from(cause.into()))
    }

    /// Creates an [`EngineError::Unavailable`] from its cause, which is temporary: a retry may succeed.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> EngineError {
        EngineError::Unavailable(Arc::from(cause.into()))
    }

    /// Creates an [`EngineError::OutcomeUnknown`] from its cause.
    pub fn outcome_unknown(cause: impl Into<Box<dyn Error + Send + Sync>>) -> EngineError {
        EngineError::OutcomeUnknown(Arc::from(cause.into()))
    }
}

/// The error and its causes in a line.
pub(crate) fn describe(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |it| (*it).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl From<rusqlite::Error> for EngineError {
    fn from(error: rusqlite::Error) -> EngineError {
        match error.sqlite_error_code() {
            Some(
                rusqlite::ErrorCode::DiskFull
                | rusqlite::ErrorCode::SystemIoFailure
                | rusqlite::ErrorCode::DatabaseBusy
                | rusqlite::ErrorCode::DatabaseLocked,
            ) => EngineError::unavailable(error),
            _ => EngineError::internal(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn temporary_sqlite_errors_are_unavailable_and_others_internal() {
        let cases = [
            (ffi::SQLITE_FULL, true, "space can be freed"),
            (ffi::SQLITE_IOERR_READ, true, "the disk may recover"),
            (ffi::SQLITE_BUSY, true, "the other process ends"),
            (ffi::SQLITE_LOCKED, true, "the other connection ends"),
            (ffi::SQLITE_CORRUPT, false, "a damaged file stays damaged"),
            (
                ffi::SQLITE_CONSTRAINT,
                false,
                "a rule should have prevented it",
            ),
        ];
        for (code, temporary, reason) in cases {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let unavailable = matches!(EngineError::from(error), EngineError::Unavailable(_));
            assert_eq!(unavailable, temporary, "{reason}");
        }
    }
}
