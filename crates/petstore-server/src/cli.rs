//! The command line. It parses and dispatches; the work is done by the modules
//! that the commands call.

mod backup;
mod keys;
mod restore;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A petstore, served from its OpenAPI document.
#[derive(Debug, Parser)]
#[command(name = "petstore", version, arg_required_else_help = true)]
#[command(
    after_help = "Run `petstore serve` in an empty folder to try it: it makes its database there."
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

/// Runs the command line of this process.
///
/// The exit code is 0 after a clean end and 2 when the command could not be
/// carried out, for example because a port is taken; then standard error holds
/// one line that says why.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Serve(serve) => serve.run(),
        Command::Keys(keys) => keys.run(),
        Command::Backup(backup) => backup.run(),
        Command::Restore(restore) => restore.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("petstore: {error:#}");
            ExitCode::from(2)
        }
    }
}
