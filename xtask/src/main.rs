//! Developer commands of this repository: those of dropspec, and those that check dropspec itself against corpora.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use test_corpora::{conformance, corpus, fuzz_diff, schema_suite};

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
    #[command(flatten)]
    Dropspec(dropspec::cli::Command),
    Conformance(conformance::Arguments),
    FuzzDiff(fuzz_diff::Arguments),
    Corpus(corpus::Arguments),
    SchemaSuite(schema_suite::Arguments),
}

fn main() -> ExitCode {
    dropspec::cli::report(
        match dropspec_command_line::parse_or_exit::<Cli>().command {
            Command::Dropspec(command) => command.run(),
            Command::Conformance(arguments) => conformance::run(&arguments),
            Command::FuzzDiff(arguments) => fuzz_diff::run(&arguments),
            Command::Corpus(arguments) => corpus::run(&arguments),
            Command::SchemaSuite(arguments) => schema_suite::run(&arguments),
        },
    )
}
