//! Errors of opening a database.

use std::error::Error;
use std::path::PathBuf;

use engine_types::{Cause, EngineError};
use thiserror::Error;
use tokio_postgres::error::SqlState;

use crate::sql_error::{cause, describe, message_of};

/// Why the database could not be opened. Nothing was created or changed.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file of `sslrootcert` cannot be used.
    #[error("{} cannot be used as sslrootcert", path.display())]
    RootCertificate {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Cause,
    },

    /// TLS cannot be set up.
    #[error("TLS cannot be set up")]
    Tls(#[source] Cause),

    /// The server does not speak TLS, or its certificate is not trusted.
    #[error(
        "the connection to {address} cannot be encrypted: {reason}; check the server's certificate, name its authority with ?sslrootcert=FILE, or write ?sslmode=disable if nobody can read the network"
    )]
    Encryption {
        /// The address.
        address: String,
        /// What the driver says.
        reason: String,
    },

    /// Nothing answers at the address.
    #[error(
        "there is no PostgreSQL server at {address}: {reason}; check the address, and whether the server runs"
    )]
    Unreachable {
        /// The address.
        address: String,
        /// What the driver says.
        reason: String,
    },

    /// The server refuses user or password.
    #[error(
        "the server at {address} refuses the user: {reason}; check user and password of the URL"
    )]
    Refused {
        /// The address.
        address: String,
        /// What the server says.
        reason: String,
    },

    /// The server has no such database.
    #[error(
        "the server has no database {database:?}; create it first, for example by `createdb {database}`"
    )]
    NoDatabase {
        /// Its name.
        database: String,
    },

    /// The database has no tables of the application.
    #[error(
        "{address} has no tables of the application {application:?}, which its server creates; name another database, or start the server first"
    )]
    NoTables {
        /// The address.
        address: String,
        /// The application.
        application: &'static str,
    },

    /// The database has tables of another application.
    #[error(
        "{address} is the database of the application {found:?}; nothing was changed, name another database"
    )]
    OtherApplication {
        /// The address.
        address: String,
        /// The other application.
        found: String,
    },

    /// A newer version of the program migrated the database.
    #[error(
        "{address} has schema version {found}, this program supports versions up to {known}; nothing was changed, run a newer version"
    )]
    TooNew {
        /// The address.
        address: String,
        /// The schema version of the database.
        found: i64,
        /// The latest schema version of this program.
        known: i64,
    },

    /// An older version of the program migrated the database, and this command does not.
    #[error(
        "{address} has schema version {found}, this command needs version {known}; start and stop a server once with this version of the program, which migrates it"
    )]
    TooOld {
        /// The address.
        address: String,
        /// The schema version of the database.
        found: i64,
        /// The schema version of this program.
        known: i64,
    },

    /// Servers, commands or another copy use the database.
    #[error(
        "{address} is in use by a server, a command or another copy; stop all of them first, and any pool of connections between"
    )]
    InUse {
        /// The address.
        address: String,
    },

    /// The database is being copied.
    #[error("{address} is being copied; wait until the command `copy` has ended")]
    Copying {
        /// The address.
        address: String,
    },

    /// A copy from another database was not finished.
    #[error(
        "{address} holds an unfinished copy from {source_name}; run the same command `copy` again, which begins anew, or name another database"
    )]
    UnfinishedCopy {
        /// The address.
        address: String,
        /// The database from which rows were copied.
        source_name: String,
    },

    /// The database is to be a copy from another one.
    #[error(
        "{address} holds an unfinished copy from {source_name}; run that copy again, or name a new database"
    )]
    OtherCopy {
        /// The address.
        address: String,
        /// The database from which rows were copied.
        source_name: String,
    },

    /// The database to be filled has tables already.
    #[error(
        "{address} is not empty: it has the table {table:?}; name a new database, for example by `createdb`"
    )]
    NotEmpty {
        /// The address.
        address: String,
        /// One of its tables.
        table: String,
    },

    /// A migration is not the one that was applied.
    #[error(
        "migration {version} of {address} was edited after it was applied: undo the edit and add another migration at the end; without records that matter, create the database anew instead"
    )]
    MigrationChanged {
        /// The address.
        address: String,
        /// The schema version that the migration leads to.
        version: i64,
    },

    /// A migration failed. None was applied.
    #[error("{address} could not be migrated to schema version {version}; nothing was changed")]
    Migration {
        /// The address.
        address: String,
        /// The schema version that the migration leads to.
        version: i64,
        /// The error of the server.
        #[source]
        source: Cause,
    },

    /// The user may not use or create tables.
    #[error(
        "the user of {address} has not the rights that it needs: {reason}; make it the owner of the database (`ALTER DATABASE … OWNER TO …`), or grant it CREATE on the schema and all rights on the tables of the application"
    )]
    NoRights {
        /// The address.
        address: String,
        /// What the server says.
        reason: String,
    },

    /// The server is a standby, or writes are switched off.
    #[error(
        "{address} cannot be written to: {reason}; name the primary server, or several hosts with target_session_attrs=read-write"
    )]
    ReadOnly {
        /// The address.
        address: String,
        /// What the server says.
        reason: String,
    },

    /// The database cannot be read, or not be changed.
    #[error("the database {address} cannot be used")]
    Database {
        /// The address.
        address: String,
        /// The error.
        #[source]
        source: EngineError,
    },
}

impl OpenError {
    pub(crate) fn tls(error: impl Error + Send + Sync + 'static) -> OpenError {
        OpenError::Tls(std::sync::Arc::new(error))
    }

    /// Converts the error of a statement that opens the database.
    pub(crate) fn statement(address: &str, source: EngineError) -> OpenError {
        let address = address.to_owned();
        if let Some(reason) = message_of(&source, &SqlState::INSUFFICIENT_PRIVILEGE) {
            return OpenError::NoRights { address, reason };
        }
        match message_of(&source, &SqlState::READ_ONLY_SQL_TRANSACTION) {
            Some(reason) => OpenError::ReadOnly { address, reason },
            None => OpenError::Database { address, source },
        }
    }

    /// Converts the error of the first connection.
    pub(crate) fn connect(
        address: String,
        database: &str,
        error: tokio_postgres::Error,
    ) -> OpenError {
        let reason = match error.as_db_error() {
            Some(server) => server.message().to_owned(),
            None => describe(&error),
        };
        let Some(code) = error.code() else {
            // The kind of the driver's errors is not public.
            return if error.to_string().contains("TLS") {
                OpenError::Encryption { address, reason }
            } else {
                OpenError::Unreachable { address, reason }
            };
        };
        match code {
            code if *code == SqlState::INVALID_CATALOG_NAME => OpenError::NoDatabase {
                database: database.to_owned(),
            },
            // Class 28: invalid authorization.
            code if code.code().starts_with("28") => OpenError::Refused { address, reason },
            _ => OpenError::Database {
                address,
                source: EngineError::Unavailable(cause(error).into()),
            },
        }
    }
}
