//! The error of an engine as that of a ledger.

use dropspec_rate_limit::storage_error::StorageError;
use dropspec_store::{Cause, EngineError};

/// Converts the error of an engine. One that is out of use was reported by the engine, once.
pub fn to_storage_error(error: EngineError) -> StorageError {
    match error {
        EngineError::Unavailable(cause) if is_reported(&cause) => StorageError::OutOfUse(cause),
        EngineError::Unavailable(cause) => StorageError::Unavailable(cause),
        EngineError::Internal(cause) => StorageError::Internal(cause),
        EngineError::OutcomeUnknown(cause) => StorageError::OutcomeUnknown(cause),
    }
}

fn is_reported(cause: &Cause) -> bool {
    #[cfg(feature = "postgres")]
    if cause.is::<dropspec_store::postgres::Outage>() {
        return true;
    }
    cause.is::<dropspec_store::sqlite::Fault>()
}
