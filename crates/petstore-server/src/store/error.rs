//! Errors of the store.

use dropspec_store::{EngineError, IdempotencyKeyReused};
use thiserror::Error;

use crate::rule_violation::RuleViolation;

/// Why a method of the store failed: a rule violation or an error of the database. Nothing of it was stored,
/// unless the error is [`EngineError::OutcomeUnknown`].
#[derive(Debug, Clone, Error)]
pub enum StoreError {
    /// A rule forbids the call.
    #[error(transparent)]
    RuleViolation(#[from] RuleViolation),

    /// The database is unavailable or failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<IdempotencyKeyReused> for StoreError {
    fn from(_: IdempotencyKeyReused) -> StoreError {
        RuleViolation::idempotency_key_reused().into()
    }
}
