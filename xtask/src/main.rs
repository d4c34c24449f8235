//! Developer commands. Only dispatch: the work is in the modules and in the crates under `crates/`.

mod conformance;
mod contract;
mod diff;
mod fuzz_diff;
mod lint;
mod release;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Developer commands of this repository.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Conformance(conformance::Arguments),
    Diff(diff::Arguments),
    FuzzDiff(fuzz_diff::Arguments),
    Lint(lint::Arguments),
    Release(release::Arguments),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::FuzzDiff(arguments) => fuzz_diff::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
