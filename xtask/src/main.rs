//! Developer commands of this repository. Each command has a module; the work is in the crates under `crates/`.

mod conformance;
mod corpus;
mod diff;
mod fuzz_diff;
mod generate;
mod house;
mod lint;
mod output;
mod release;
mod releases;
mod repository;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::output::print_error;

/// Developer commands of this repository.
///
/// The document is `spec/petstore.yaml`. After an edit, run `cargo xtask generate` and follow
/// the compiler. `cargo xtask lint` checks the document; `cargo xtask diff` reports how the
/// edit affects those who use the interface.
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
    Corpus(corpus::Arguments),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Conformance(arguments) => conformance::run(&arguments),
        Command::FuzzDiff(arguments) => fuzz_diff::run(&arguments),
        Command::Corpus(arguments) => corpus::run(&arguments),
    };
    done.unwrap_or_else(|error| {
        print_error(format_args!("error: {error:#}"));
        ExitCode::FAILURE
    })
}
