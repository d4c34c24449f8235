//! What the errors of the driver mean: whether another attempt can succeed, and whether the connection is still usable.

use std::error::Error;

use thiserror::Error;
use tokio_postgres::error::{Severity, SqlState};

use crate::EngineError;

/// The kind of a failed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Failure {
    /// Another transaction was in the way: the whole transaction may succeed if it runs again.
    Conflict = 1,
    /// The connection cannot be used any more. Nothing is stored, unless a commit was under way.
    Lost = 2,
    /// The database cannot do it now, and another attempt at once would not help.
    Unavailable = 3,
    /// A defect.
    Defect = 4,
}

/// An error of the server, without its details, which contain values of rows.
#[derive(Debug, Error)]
#[error("{message} (SQLSTATE {code})")]
struct ServerError {
    message: String,
    code: String,
}

/// The kind of an error of the driver.
pub(crate) fn classify(error: &tokio_postgres::Error) -> Failure {
    let Some(server) = error.as_db_error() else {
        // The socket failed or was closed; or a value did not fit its column, which is found before anything is sent.
        let is_conversion = error.source().is_some_and(|it| !it.is::<std::io::Error>());
        return if is_conversion && !error.is_closed() {
            Failure::Defect
        } else {
            Failure::Lost
        };
    };
    let code = server.code();
    if is_fatal(server.parsed_severity()) {
        return Failure::Lost;
    }
    match code {
        // The rules look for duplicates and missing rows before they write, so that another transaction has come between.
        code if *code == SqlState::T_R_SERIALIZATION_FAILURE
            || *code == SqlState::T_R_DEADLOCK_DETECTED
            || *code == SqlState::UNIQUE_VIOLATION
            || *code == SqlState::FOREIGN_KEY_VIOLATION =>
        {
            Failure::Conflict
        }
        // The statements of the connection are gone, or fit the tables no more: a migration, or a proxy between.
        code if *code == SqlState::INVALID_SQL_STATEMENT_NAME
            || *code == SqlState::FEATURE_NOT_SUPPORTED
            // The server has become a standby.
            || *code == SqlState::READ_ONLY_SQL_TRANSACTION =>
        {
            Failure::Lost
        }
        code if *code == SqlState::LOCK_NOT_AVAILABLE => Failure::Unavailable,
        // Classes 08 (connection), 53 (resources), 57 (operator), 58 (system).
        code => match &code.code()[..2] {
            "08" => Failure::Lost,
            "53" | "57" | "58" => Failure::Unavailable,
            _ => Failure::Defect,
        },
    }
}

/// Whether a commit that failed with this error has certainly stored nothing.
pub(crate) fn is_undone(error: &tokio_postgres::Error) -> bool {
    let unknown = ["40003", "08007"];
    error.as_db_error().is_some_and(|server| {
        !is_fatal(server.parsed_severity()) && !unknown.contains(&server.code().code())
    })
}

/// Converts an error of the driver.
pub(crate) fn to_engine_error(error: tokio_postgres::Error) -> EngineError {
    match classify(&error) {
        Failure::Defect => EngineError::Internal(cause(error).into()),
        Failure::Conflict | Failure::Lost | Failure::Unavailable => {
            EngineError::Unavailable(cause(error).into())
        }
    }
}

/// The error as the cause of another, without values of rows.
pub(crate) fn cause(error: tokio_postgres::Error) -> Box<dyn Error + Send + Sync> {
    match error.as_db_error() {
        Some(server) => Box::new(ServerError {
            message: server.message().to_owned(),
            code: server.code().code().to_owned(),
        }),
        None => Box::new(error),
    }
}

/// What the server says, if it refused a statement for this reason.
pub(crate) fn message_of(error: &EngineError, state: &SqlState) -> Option<String> {
    let (EngineError::Unavailable(cause)
    | EngineError::Internal(cause)
    | EngineError::OutcomeUnknown(cause)) = error;
    let server = cause.downcast_ref::<ServerError>()?;
    (server.code == state.code()).then(|| server.message.clone())
}

fn is_fatal(severity: Option<Severity>) -> bool {
    matches!(severity, Some(Severity::Fatal | Severity::Panic))
}
