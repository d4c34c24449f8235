//! The command line: parses, dispatches, and turns an error into a line and an exit code.

mod backup;
mod keys;
mod restore;
mod serve;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use spec_gate::DatabaseFailed;
use spec_gate::keys::commands::KeyCommands;
use spec_runtime::Interface as _;

use crate::api::Interface;

#[derive(Debug, Parser)]
#[command(name = "petstore", version, arg_required_else_help = true)]
#[command(
    about = "A petstore, served from its OpenAPI document",
    after_help = "Run `petstore serve` in an empty folder to try it: it creates its database there."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Keys(keys::Keys),
    Backup(backup::Backup),
    Restore(restore::Restore),
}

/// The flag `--database`: the database file that a command works on.
#[derive(Debug, clap::Args)]
struct DatabaseArgument {
    /// SQLite database file of the petstore; `petstore serve` creates it
    #[arg(
        long,
        global = true,
        env = "PETSTORE_DATABASE",
        value_name = "FILE",
        default_value = "petstore.db"
    )]
    database: PathBuf,
}

/// Parses the command line of this process, runs its command, and returns the exit code.
///
/// The exit code is 0 on success and 2 if the command failed, for example because a port is taken, or if its result
/// could not be printed; then standard error has one line with the command's error. It is 3 if the database failed while
/// the server ran, and [`spec_gate::EXIT_STOP_TIMEOUT`] if the server did not stop in time.
pub fn run() -> ExitCode {
    let plans = Interface::plans();
    let command = Arguments::command()
        .mut_subcommand("keys", |keys| KeyCommands::restrict_plans(keys, plans));
    let arguments = match Arguments::from_arg_matches(&command.get_matches()) {
        Ok(arguments) => arguments,
        Err(error) => error.exit(),
    };
    let result = match arguments.command {
        Command::Serve(serve) => serve.run(),
        Command::Keys(keys) => keys.run(),
        Command::Backup(backup) => backup.run(),
        Command::Restore(restore) => restore.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed or full standard error must not change the exit code.
            let _ = writeln!(io::stderr(), "petstore: {error:#}");
            ExitCode::from(match error.is::<DatabaseFailed>() {
                true => DatabaseFailed::EXIT_CODE,
                false => 2,
            })
        }
    }
}

/// Converts a failure to print the result of a command that succeeded: the error says that it was carried out.
fn report_stdout_error(printed: io::Result<()>) -> anyhow::Result<()> {
    printed.context("the command was carried out, but standard output cannot be written to")
}
