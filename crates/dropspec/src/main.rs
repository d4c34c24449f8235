//! The command `dropspec`. All it does is in the library.

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

/// From an OpenAPI document to a running service
///
/// The document is what people edit. `new` makes a workspace around it, whose server runs at once. `generate` writes the
/// Rust code that repeats the document: a dropshot API trait for the server, and a client. `lint` checks the document;
/// `diff` says what an edit does to those who use the interface. dropspec.toml, found upwards from the working directory,
/// says where everything is.
#[derive(Debug, Parser)]
#[command(
    name = "dropspec",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  dropspec new books --spec books.yaml     a workspace with a server that runs at once
  dropspec generate                        after every edit of the document
  dropspec lint                            is the document valid, and can all of it be generated?
  dropspec diff --base main                what does the edit do to users of the interface?

Exit codes: 0 all is well; 1 there are findings, stale files or differences; 2 the command failed."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Dropspec(dropspec::cli::Command),
    /// Print completions for a shell
    ///
    /// For bash: `source <(dropspec completions bash)`
    Completions {
        /// The shell
        shell: Shell,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Dropspec(command) => dropspec::cli::report(command.run()),
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "dropspec", &mut io::stdout());
            ExitCode::SUCCESS
        }
    }
}
