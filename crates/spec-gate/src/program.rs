//! The program of a service with a database and API keys: the commands `serve`, `keys`, `usage`, `backup`,
//! `restore`, `copy`, `migrate`, `health` and `completions`.
//!
//! A service implements [`Program`], and its `main` calls [`run`]:
//!
//! ```text
//! fn main() -> ExitCode {
//!     spec_gate::program::run::<Books>()
//! }
//! ```

mod arguments;
mod backup;
mod backups;
mod completions;
mod config_file;
mod copy;
mod database_argument;
mod first_key;
mod first_steps;
mod health;
mod keys;
mod ledger;
mod limits_argument;
mod migrate;
mod otlp_arguments;
mod panel_argument;
mod restore;
mod serve;
mod start;
mod usage;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use dropshot::{ErrorStatusCode, HttpError};
use spec_runtime::PlanInfo;
use sqlite_engine::Schema;

use self::arguments::ProgramCommand;
use crate::database::{Database, DatabaseConfig};
use crate::gate::Service;
use crate::keys::ApiKeys;
use crate::logging::Causes;
use crate::server::DatabaseFailed;

pub use self::first_key::FirstKeyPolicy;
pub use self::ledger::ProgramLedger;
pub use self::start::{Config, api_keys, limiter_policy, plan_limits, start};

/// A service that is a program of its own, with its records and its API keys in one database, SQLite or PostgreSQL.
pub trait Program: Service<Ledger = ProgramLedger> {
    /// What the commands have to know of the service.
    fn settings() -> ProgramSettings;

    /// Creates the service over its open database.
    fn new(database: Database) -> Self;

    /// Creates what verifies the credentials of requests: the API keys themselves, or the service's own
    /// [`Authenticate`](crate::auth::Authenticate), which can pass keys on to them.
    ///
    /// # Errors
    ///
    /// If it cannot be created, for example because the key of an issuer of tokens is missing.
    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<Self::Authenticator>, AuthenticatorError>;
}

/// Why a service cannot verify credentials: any error.
pub type AuthenticatorError = Box<dyn Error + Send + Sync>;

/// What the commands of a service have to know of it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSettings {
    /// The version of the program: `env!("CARGO_PKG_VERSION")`.
    pub version: &'static str,
    /// What the program is, in a line.
    pub about: &'static str,
    /// What the database holds beside API keys, such as `pets and orders`.
    pub records: &'static str,
    /// The tables of the database on SQLite. They include those of API keys.
    pub schema: Schema,
    /// The tables of the database on PostgreSQL. They include those of API keys.
    pub postgres_schema: postgres_engine::Schema,
    /// The first characters of every API key, such as `pst_`.
    pub key_mark: &'static str,
    /// The plans of API keys: those of the document, or the service's own.
    pub plans: &'static [PlanInfo],
    /// The plan of the API key that is created if the database has none.
    pub first_key_plan: &'static str,
    /// The plan whose limits apply to requests without a valid key.
    pub anonymous_plan: &'static str,
}

impl ProgramSettings {
    /// The schema version of this program on the engine of a database.
    pub(crate) fn schema_version(&self, database: &DatabaseConfig) -> i64 {
        match database {
            DatabaseConfig::Sqlite(_) => self.schema.version(),
            DatabaseConfig::Postgres(_) => self.postgres_schema.version(),
        }
    }
}

/// Parses the command line of this process, runs its command, and returns the exit code.
///
/// The exit code is 0 on success, 1 if `migrate --check` finds something to do, and 2 if the command failed, for example because a port is taken, or if its result
/// could not be printed; then standard error has one line with the command's error. It is 3 if the database failed while
/// the server ran, and [`EXIT_STOP_TIMEOUT`](crate::EXIT_STOP_TIMEOUT) if the server did not stop in time.
pub fn run<P: Program>() -> ExitCode {
    let command = match arguments::parse::<P>() {
        Ok(command) => command,
        Err(error) => error.exit(),
    };
    let done = |()| ExitCode::SUCCESS;
    let result = match command {
        ProgramCommand::Migrate(migrate) => migrate.run::<P>(),
        ProgramCommand::Serve(serve) => serve.run::<P>().map(done),
        ProgramCommand::Keys(keys) => keys.run::<P>().map(done),
        ProgramCommand::Usage(usage) => usage.run::<P>().map(done),
        ProgramCommand::Backup(backup) => backup.run::<P>().map(done),
        ProgramCommand::Restore(restore) => restore.run::<P>().map(done),
        ProgramCommand::Copy(copy) => copy.run::<P>().map(done),
        ProgramCommand::Health(health) => health.run().map(done),
        ProgramCommand::Completions(completions) => completions.run::<P>().map(done),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // A closed or full standard error must not change the exit code.
            let _ = writeln!(io::stderr(), "{}: {}", P::NAME, Causes(error.as_ref()));
            ExitCode::from(if error.is::<DatabaseFailed>() {
                DatabaseFailed::EXIT_CODE
            } else {
                2
            })
        }
    }
}

/// The error of an operation that is not implemented yet: 501 with the code `not_implemented`.
pub fn not_implemented() -> HttpError {
    let message = "this operation is not implemented yet";
    HttpError {
        status_code: ErrorStatusCode::NOT_IMPLEMENTED,
        error_code: Some("not_implemented".to_owned()),
        external_message: message.to_owned(),
        internal_message: message.to_owned(),
        headers: None,
    }
}

/// Runs a command that waits for a database, to its end.
fn block_on<T>(command: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?
        .block_on(command)
}

/// Converts a failure to print the result of a command that succeeded: the error says that it was carried out.
fn report_stdout_error(printed: io::Result<()>) -> anyhow::Result<()> {
    printed.context("the command was carried out, but standard output cannot be written to")
}
