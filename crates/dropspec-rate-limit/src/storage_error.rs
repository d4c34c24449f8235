//! The error of a ledger or an authenticator, whatever storage is behind it.

use std::error::Error;
use std::sync::Arc;

use thiserror::Error;

/// Why a call of a [`Ledger`](crate::Ledger) or of an authenticator failed. Nothing
/// of the call was stored, unless the outcome is unknown.
#[derive(Clone, Debug, Error)]
pub enum StorageError {
    /// The storage cannot serve the call now, but a later one may succeed.
    #[error("the storage is unavailable")]
    Unavailable(#[source] Arc<dyn Error + Send + Sync>),
    /// The storage is out of use until somebody mends it. Its owner logs that once, so it is not logged for each call.
    #[error("the storage is out of use")]
    OutOfUse(#[source] Arc<dyn Error + Send + Sync>),
    /// A defect; another try is not expected to succeed.
    #[error("the storage failed")]
    Internal(#[source] Arc<dyn Error + Send + Sync>),
    /// The call may or may not be stored.
    #[error("the outcome of a write is unknown")]
    OutcomeUnknown(#[source] Arc<dyn Error + Send + Sync>),
}

impl StorageError {
    /// Creates the error of a temporary failure from its cause.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> StorageError {
        StorageError::Unavailable(Arc::from(cause.into()))
    }
}
