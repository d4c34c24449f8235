//! Developer commands. Only dispatch: the work is in the modules and in the crates under `crates/`.

mod conformance;
mod contract;
mod diff;
mod fuzz_diff;
mod generate;
mod house;
mod lint;
mod output;
mod release;
mod releases;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Developer commands of this repository.
///
/// The contract is `spec/petstore.yaml`; what only repeats it is generated. After an edit run
/// `cargo xtask generate`, then follow the compiler. `cargo xtask lint` and `cargo xtask diff`
/// say what the edit is worth and what it does to the users of the interface.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Arguments),
    Lint(lint::Arguments),
    Diff(diff::Arguments),
    Release(release::Arguments),
    Conformance(conformance::Arguments),
    FuzzDiff(fuzz_diff::Arguments),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::FuzzDiff(arguments) => fuzz_diff::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
