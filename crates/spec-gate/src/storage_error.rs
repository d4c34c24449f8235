//! The error of the storage behind a ledger or an authenticator, whatever it is.

use std::error::Error;
use std::sync::Arc;

use thiserror::Error;

/// Why a call on the storage failed. Nothing of the call was stored.
#[derive(Clone, Debug, Error)]
pub enum StorageError {
    /// The storage cannot serve the call now, but a later one may succeed.
    #[error("the storage is unavailable")]
    Unavailable(#[source] Arc<dyn Error + Send + Sync>),
    /// A defect; another try is not expected to succeed.
    #[error("the storage failed")]
    Internal(#[source] Arc<dyn Error + Send + Sync>),
}

impl StorageError {
    /// A failure that may pass.
    pub fn unavailable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> StorageError {
        StorageError::Unavailable(Arc::from(cause.into()))
    }

    /// A defect.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> StorageError {
        StorageError::Internal(Arc::from(cause.into()))
    }
}
