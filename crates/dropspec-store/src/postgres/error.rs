//! Errors of opening a database.

use std::error::Error;
use std::sync::Arc;

use thiserror::Error;
use tokio_postgres::error::SqlState;

use crate::error::describe;
use crate::postgres::sql_error::{cause, message_of};
use crate::{Cause, EngineError};

/// Why the database could not be opened. Nothing was created or changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The database, or what is in it, cannot be used. The text names its address, and says what to do.
    #[error("{0}")]
    Refused(String),

    /// The server or a file failed.
    #[error("{message}")]
    Failed {
        /// What failed.
        message: String,
        /// The error.
        #[source]
        source: Cause,
    },
}

impl OpenError {
    /// Creates an [`OpenError::Failed`].
    pub(crate) fn failed(
        message: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> OpenError {
        OpenError::Failed {
            message: message.into(),
            source: Arc::from(source.into()),
        }
    }

    /// TLS cannot be set up.
    pub(crate) fn tls(error: impl Error + Send + Sync + 'static) -> OpenError {
        OpenError::failed("TLS cannot be set up", error)
    }

    /// The database cannot be read, or not be changed.
    pub(crate) fn database(address: &str, source: EngineError) -> OpenError {
        OpenError::failed(format!("the database {address} cannot be used"), source)
    }

    /// Nothing answers at the address.
    pub(crate) fn unreachable(address: &str, reason: &str) -> OpenError {
        OpenError::Refused(format!(
            "there is no PostgreSQL server at {address}: {reason}; check the address, and whether the server runs"
        ))
    }

    /// Converts the error of a statement that opens the database.
    pub(crate) fn statement(address: &str, source: EngineError) -> OpenError {
        if let Some(reason) = message_of(&source, &SqlState::INSUFFICIENT_PRIVILEGE) {
            return OpenError::Refused(format!(
                "the user of {address} has not the rights that it needs: {reason}; make it the owner of the database (`ALTER DATABASE … OWNER TO …`), or grant it CREATE on the schema and all rights on the tables of the application"
            ));
        }
        match message_of(&source, &SqlState::READ_ONLY_SQL_TRANSACTION) {
            Some(reason) => OpenError::Refused(format!(
                "{address} cannot be written to: {reason}; name the primary server, or several hosts with target_session_attrs=read-write"
            )),
            None => OpenError::database(address, source),
        }
    }

    /// Converts the error of the first connection.
    pub(crate) fn connect(
        address: &str,
        database: &str,
        error: tokio_postgres::Error,
    ) -> OpenError {
        let reason = match error.as_db_error() {
            Some(server) => server.message().to_owned(),
            None => describe(&error),
        };
        let Some(code) = error.code() else {
            // The kind of the driver's errors is not public.
            if !error.to_string().contains("TLS") {
                return OpenError::unreachable(address, &reason);
            }
            return OpenError::Refused(format!(
                "the connection to {address} cannot be encrypted: {reason}; check the server's certificate, name its authority with ?sslrootcert=FILE, or write ?sslmode=disable if nobody can read the network"
            ));
        };
        match code {
            code if *code == SqlState::INVALID_CATALOG_NAME => OpenError::Refused(format!(
                "the server has no database {database:?}; create it first, for example by `createdb {database}`"
            )),
            // Class 28: invalid authorization.
            code if code.code().starts_with("28") => OpenError::Refused(format!(
                "the server at {address} refuses the user: {reason}; check user and password of the URL"
            )),
            code if code.code().starts_with("53") => OpenError::Refused(format!(
                "the server at {address} has no connection left: {reason}; raise its max_connections, or lower that of the URL of each server that uses it"
            )),
            _ => OpenError::database(address, EngineError::Unavailable(cause(error).into())),
        }
    }
}
