//! The command line as clap sees it: what all commands share, and a command for each operation.

use std::any::TypeId;

use chrono::{DateTime, Utc};
use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, Command, ValueEnum, value_parser};
use clap_complete::Shell;

use crate::cli::{Cli, CliCommand};
use crate::screen::Screen;

/// How answers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns, for people
    Table,
    /// The records as the service gives them, for programs
    Json,
}

const ABOUT: &str =
    "The petstore on the command line: a command for each operation of its interface.";

const EXIT_CODES: &str = "Exit codes:
  0  the service did what was asked
  1  the service refused, and its message says why
  2  the call is mistaken: an argument, a file, the URL, the key's characters
  3  nobody answered, or nobody who speaks like the service";

const JSON_BODY: &str =
    "A file with the whole body as JSON; the options for its properties override it";

/// How a point in time is written, as RFC 3339 says. Messages about one that is not name it.
const TIME_FORMAT: &str = "YYYY-MM-DDThh:mm:ssZ";
const TIME: TypeId = TypeId::of::<DateTime<Utc>>();

/// The whole command line.
pub fn command() -> Command {
    let command = Command::new("petstorectl")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXIT_CODES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(shared());
    let operations = CliCommand::iter().map(of_operation);
    command.subcommands(operations).subcommand(completions())
}

/// The name of an operation's command: `list-pets`.
pub fn name(operation: CliCommand) -> String {
    operation.operation_id().replace('_', "-")
}

fn shared() -> [Arg; 4] {
    [
        Arg::new("url")
            .long("url")
            .env("PETSTORE_URL")
            .default_value("http://127.0.0.1:8080")
            .help("Where the service is"),
        Arg::new("key")
            .long("key")
            .env("PETSTORE_API_KEY")
            .hide_env_values(true)
            .help("The API key; the environment keeps it out of the list of processes"),
        Arg::new("output")
            .long("output")
            .value_parser(EnumValueParser::<Format>::new())
            .default_value("table")
            .help("How answers are shown"),
        Arg::new("timeout")
            .long("timeout")
            .value_name("SECONDS")
            .value_parser(value_parser!(u64).range(1..))
            .default_value("90")
            .help("How long a request may take in all, with retries and the waits that limits ask for"),
    ]
    .map(|arg| arg.global(true).help_heading("Service"))
}

fn of_operation(operation: CliCommand) -> Command {
    let command = Cli::<&Screen>::get_command(operation).name(name(operation));
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (summary, description) = about.split_once("\n\n").unwrap_or((&about, ""));
    let description: Vec<&str> = description.split_whitespace().collect();
    let long = format!("{summary}\n\n{}", description.join(" "));
    let command = command
        .about(summary.to_owned())
        .long_about(long.trim().to_owned())
        .mut_args(|arg| match arg.get_id() == "json-body" {
            true => arg.help(JSON_BODY),
            false => arg,
        })
        .mut_args(|arg| match arg.get_value_parser().type_id() == TIME {
            true => arg.value_name(TIME_FORMAT),
            false => arg,
        });
    if command.get_arguments().any(|arg| arg.get_id() == "after") {
        return command.arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Every record from there on, not only a page of them"),
        );
    }
    command
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print the completions for a shell")
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(EnumValueParser::<Shell>::new()),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn listings_can_be_whole() {
        let whole = |name: &str| {
            let command = command();
            let found = command.find_subcommand(name).expect("a command");
            found.get_arguments().any(|arg| arg.get_id() == "all")
        };
        assert!(whole("list-pets") && whole("list-inventory"));
        assert!(!whole("get-pet"));
    }

    #[test]
    fn the_key_is_not_shown_in_help() {
        let command = command();
        let key = command
            .get_arguments()
            .find(|arg| arg.get_id() == "key")
            .expect("a key");
        assert!(key.is_hide_env_values_set());
    }
}
