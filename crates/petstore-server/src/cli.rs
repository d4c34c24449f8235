//! The command line. It parses and dispatches; the work is done by the modules
//! that the commands call.

mod backup;
mod keys;
mod restore;
mod serve;

use std::io;
use std::process::ExitCode;

use anyhow::Context;
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
/// carried out, for example because a port is taken, or could not say what came
/// of it; then standard error holds one line that says which and why.
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

/// Whoever is not told what a command did has to know that it did it: a secret that was not printed is a secret all the
/// same, and is lost.
fn told(printed: io::Result<()>) -> anyhow::Result<()> {
    printed.context("the command was carried out, but standard output cannot be written to")
}
