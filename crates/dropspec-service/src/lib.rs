//! The program of a service: a server with its panel, and, for a service with a database and API keys, the commands `serve`,
//! `keys`, `usage`, `backup`, `restore`, `copy`, `migrate`, `health`, `completions` and `man`.
//!
//! A service implements [`Program`], and its `main` calls [`run`]:
//!
//! ```text
//! fn main() -> ExitCode {
//!     dropspec_service::run::<Books>()
//! }
//! ```
//!
//! The cargo features `postgres`, `redis` and `otlp` are what a first try does not need: PostgreSQL as the database, with the
//! command `copy`; Redis for the limits of several servers; and the export of traces.
//!
//! With the feature `testing`, `testing::TestProcess` starts the program for tests from outside.
//!
//! A service that is no such program starts with [`Server::start`].

mod admin;
mod arguments;
mod backup;
mod backups;
mod command;
mod config_file;
#[cfg(feature = "postgres")]
mod copy;
mod database;
mod database_argument;
mod first_key;
mod first_steps;
mod health;
mod keys;
mod ledger;
mod limits_argument;
mod listener;
mod migrate;
mod otlp_arguments;
mod panel_argument;
mod program;
mod restore;
mod serve;
mod server;
mod server_clock;
mod settings;
mod signals;
mod start;
#[cfg(any(feature = "testing", test))]
pub mod testing;
mod tls;
mod usage;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use dropshot::{ErrorStatusCode, HttpError};
use dropspec_command_line::ShellCommand;
use dropspec_gate::logging::Causes;

use self::arguments::ProgramCommand;
use self::command::{allow_closed_reader, block_on};
pub use self::first_key::FirstKeyPolicy;
pub use self::limits_argument::LimitsEngine;
pub use self::listener::{ConnectionLimits, Listener};
pub use self::panel_argument::parse_address;
pub use self::program::{AuthenticatorError, Program, find_plan, limiter_policy};
pub use self::server::{Backend, DatabaseFailed, Server};
pub use self::settings::Settings;
pub use self::signals::{EXIT_STOP_TIMEOUT, Signals};
pub use self::start::{api_keys, start};
pub use self::tls::TlsFiles;

/// Parses the command line of this process, runs its command, and returns the exit code.
///
/// The exit code is 0 on success, 1 if `migrate --check` finds something to do, and 2 if the command failed, for example because a port is taken, or if its result
/// could not be printed; then standard error has one line with the command's error. It is 3 if the database failed while
/// the server ran, and [`EXIT_STOP_TIMEOUT`] if the server did not stop in time.
pub fn run<P: Program>() -> ExitCode {
    let command = match arguments::parse::<P>() {
        Ok(command) => command,
        Err(error) => error.exit(),
    };
    let done = |()| ExitCode::SUCCESS;
    let result = match command {
        ProgramCommand::Migrate(migrate) => block_on(migrate.run::<P>()),
        ProgramCommand::Serve(serve) => serve.run::<P>().map(done),
        ProgramCommand::Keys(keys) => block_on(keys.run::<P>()).map(done),
        ProgramCommand::Usage(usage) => block_on(usage.run::<P>()).map(done),
        ProgramCommand::Backup(backup) => backup.run::<P>().map(done),
        ProgramCommand::Restore(restore) => restore.run::<P>().map(done),
        #[cfg(feature = "postgres")]
        ProgramCommand::Copy(copy) => block_on(copy.run::<P>()).map(done),
        ProgramCommand::Health(health) => health.run().map(done),
        ProgramCommand::Shell(command) => print_for_shell::<P>(command).map(done),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            dropspec_command_line::print_error(Causes(error.as_ref()));
            ExitCode::from(if error.is::<DatabaseFailed>() {
                DatabaseFailed::EXIT_CODE
            } else {
                2
            })
        }
    }
}

fn print_for_shell<P: Program>(command: ShellCommand) -> Result<()> {
    let text = command.run(arguments::command::<P>())?;
    allow_closed_reader(io::stdout().write_all(&text))
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
