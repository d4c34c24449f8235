//! Developer commands. Only dispatch: the work is in the modules and in the crates under `crates/`.

mod conformance;

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
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Conformance(arguments) => conformance::run(&arguments),
    }
}
