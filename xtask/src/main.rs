//! Developer commands. Only dispatch: the work is in the modules and in the crates under `crates/`.

mod generate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Developer commands of this repository.
///
/// The contract is `spec/petstore.yaml`; what only repeats it is generated. After an edit run
/// `cargo xtask generate`, then follow the compiler.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = false)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Arguments),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Generate(arguments) => generate::run(&arguments),
    }
}
