//! Errors of the engine as those of dropshot, for handlers that call it.

use dropshot::{ErrorStatusCode, HttpError};

use crate::EngineError;
use crate::error::describe;

/// The `error_code` of a write that may or may not be stored.
pub const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// 503 for a temporary cause, otherwise 500. The client sees none of the causes; they are the internal message.
impl From<EngineError> for HttpError {
    fn from(error: EngineError) -> HttpError {
        let status = match error {
            EngineError::Unavailable(_) => ErrorStatusCode::SERVICE_UNAVAILABLE,
            EngineError::Internal(_) | EngineError::OutcomeUnknown(_) => {
                ErrorStatusCode::INTERNAL_SERVER_ERROR
            }
        };
        let code =
            matches!(error, EngineError::OutcomeUnknown(_)).then(|| OUTCOME_UNKNOWN.to_owned());
        let reason = status.canonical_reason().unwrap_or_default();
        HttpError {
            status_code: status,
            error_code: code,
            external_message: reason.to_owned(),
            internal_message: describe(&error),
            headers: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_internal_and_temporary_ones_are_unavailable() {
        for (error, status, code) in [
            (EngineError::unavailable("no space"), 503, None),
            (EngineError::internal("no such table: books"), 500, None),
            (
                EngineError::internal(EngineError::internal("no such table: books")),
                500,
                None,
            ),
            (
                EngineError::outcome_unknown("fsync"),
                500,
                Some(OUTCOME_UNKNOWN),
            ),
        ] {
            let causes =
                std::iter::successors(std::error::Error::source(&error), |it| (*it).source());
            let cause = causes.last().map(ToString::to_string).unwrap_or_default();
            let found = HttpError::from(error);
            assert_eq!(found.status_code.as_u16(), status);
            assert_eq!(found.error_code.as_deref(), code);
            assert!(found.internal_message.ends_with(&cause), "{found:?}");
            assert!(!found.external_message.contains(&cause), "{found:?}");
        }
    }
}
