//! The command `dropspec`. All it does is in the library.

use std::process::ExitCode;

use clap::Parser;

/// From an OpenAPI document to a running service
///
/// The document is what people edit. `generate` writes the Rust code that repeats it: a dropshot API trait for
/// the server, and a client. `lint` checks the document; `diff` says what an edit does to those who use the interface.
/// dropspec.toml, found upwards from the working directory, says where everything is.
#[derive(Debug, Parser)]
#[command(name = "dropspec", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: dropspec::cli::Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    dropspec::cli::report(arguments.command.run())
}
