//! The command `dropspec`. All it does is in the library.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use dropspec_command_line::ShellCommand;

/// From an OpenAPI document to a running service
///
/// The document is what people edit. `new` makes a workspace around it, whose server runs at once. `generate` writes the
/// Rust code that repeats the document: a dropshot API trait for the server, and a client. `lint` checks the document;
/// `repair` mends one that others wrote; `diff` says what an edit does to those who use the interface. dropspec.toml, found
/// upwards from the working directory, says where everything is.
#[derive(Debug, Parser)]
#[command(
    name = "dropspec",
    version,
    arg_required_else_help = true,
    after_help = "Examples:
  dropspec new books --spec books.yaml     a workspace with a server that runs at once
  dropspec add resource reviews            list, create, get, replace and delete, in the document
  dropspec generate                        after every edit of the document
  dropspec lint                            is the document valid, and can all of it be generated?
  dropspec repair api.yaml                 what mends a document that nothing can be generated from?
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
    #[command(flatten)]
    Shell(ShellCommand),
}

fn main() -> ExitCode {
    dropspec::cli::report(
        match dropspec_command_line::parse_or_exit::<Arguments>().command {
            Command::Dropspec(command) => command.run(),
            Command::Shell(command) => command
                .run(Arguments::command())
                .and_then(|text| {
                    dropspec::output::print(String::from_utf8_lossy(&text))?;
                    Ok(ExitCode::SUCCESS)
                })
                .map_err(Into::into),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command, flag and argument below a command.
    fn undescribed(command: &clap::Command, found: &mut Vec<String>) {
        let name = command.get_name();
        if command.get_about().is_none() {
            found.push(name.to_owned());
        }
        let arguments = command.get_arguments();
        let silent = arguments.filter(|it| it.get_help().is_none());
        found.extend(silent.map(|it| format!("{name} {}", it.get_id())));
        for below in command.get_subcommands() {
            undescribed(below, found);
        }
    }

    #[test]
    fn every_command_and_argument_has_help_and_commands_have_examples() {
        let mut found = Vec::new();
        let command = Arguments::command();
        undescribed(&command, &mut found);
        assert_eq!(found, [""; 0]);
        for below in command
            .get_subcommands()
            .filter(|it| !["completions", "man"].contains(&it.get_name()))
        {
            let help = below.get_after_long_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            assert!(
                help.contains("Example") && help.contains("Exit codes:"),
                "{}",
                below.get_name()
            );
        }
    }
}
