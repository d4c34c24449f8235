//! The clap commands: global options, and one command for each operation.

use std::any::TypeId;

use chrono::{DateTime, Utc};
use clap::builder::{ArgPredicate, EnumValueParser};
use clap::{Arg, ArgAction, Command};
use spec_cli::help::{self, Group};
use spec_cli::{Format, Profiles, shell, tail, usage};

use crate::cli::{Cli, CliCommand};
use crate::output::Output;

const ABOUT: &str = "Command line of the petstore: one command for each operation.";

const EXAMPLES: &str = "Examples:
  petstorectl create-category --name Hamster
  petstorectl get-category 1 --output json
  petstorectl list-pets --status available
  petstorectl list-pets --all --output csv > pets.csv

";

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  the service returned an error; the message says why
  2  the command is wrong: an argument, a file, the API key, or the URL
  3  no response, or an unexpected one";

const JSON_BODY: &str = "JSON file with the request body, - for standard input; options of single properties override it";

/// The format of a date-time argument (RFC 3339), shown in help and in error messages.
const TIME_FORMAT: &str = "YYYY-MM-DDThh:mm:ssZ";
/// The number of records per page that `--all` requests.
const ALL_PAGE_SIZE: &str = "100";
/// The name of the program.
const PROGRAM: &str = "petstorectl";

/// Builds the parser of the command line: global options, and one command for each operation.
pub fn command() -> Command {
    let command = Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .help_template(help::TEMPLATE)
        .after_help(format!(
            "{}{EXAMPLES}{EXIT_CODES}",
            help::list_commands(&groups())
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_options());
    let operations = CliCommand::iter().map(operation_command);
    command
        .subcommands(operations)
        .subcommand(tail::command())
        .subcommands(shell::commands())
}

/// The commands, by the tags of their operations.
fn groups() -> Vec<Group> {
    let commands = CliCommand::iter().map(|operation| {
        let title = operation.tag().unwrap_or("Commands").to_owned();
        let about = operation_command(operation)
            .get_about()
            .map(ToString::to_string);
        [title, command_name(operation), about.unwrap_or_default()]
    });
    let mut groups = help::group(commands);
    groups.push(Group::of_shell(true));
    groups
}

/// The profiles, in `~/.config/petstore/config.toml`.
pub fn profiles() -> Profiles {
    Profiles {
        folder: "petstore".to_owned(),
        variable: "PETSTORE_PROFILE".to_owned(),
    }
}

/// The name of an operation's command, such as `list-pets`.
pub fn command_name(operation: CliCommand) -> String {
    operation.operation_id().replace('_', "-")
}

fn global_options() -> [Arg; 7] {
    [
        Arg::new("url")
            .long("url")
            .value_name("URL")
            .env("PETSTORE_URL")
            .default_value("http://127.0.0.1:8080")
            .help("Base URL of the service"),
        Arg::new("key")
            .long("key")
            .value_name("KEY")
            .env("PETSTORE_API_KEY")
            .hide_env_values(true)
            .help("API key; prefer the environment variable, which the process list does not show"),
        Arg::new("output")
            .long("output")
            .value_name("FORMAT")
            .value_parser(EnumValueParser::<Format>::new())
            .default_value("table")
            .help("Output format"),
        Arg::new("show-etag")
            .long("show-etag")
            .action(ArgAction::SetTrue)
            .help("Print the entity tag to standard error, for --if-match and --if-none-match"),
        Arg::new("timeout")
            .long("timeout")
            .value_name("SECONDS")
            .value_parser(usage::parse_seconds)
            .default_value("90")
            .help("Maximum duration of a request, with retries and rate-limit waits"),
        Arg::new("verbose")
            .long("verbose")
            .action(ArgAction::SetTrue)
            .help("Show on standard error what is sent and received, without the API key"),
        profiles().argument(),
    ]
    .map(|arg| arg.global(true).help_heading("Service"))
}

fn operation_command(operation: CliCommand) -> Command {
    let command = Cli::<&Output>::get_command(operation).name(command_name(operation));
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (summary, description) = about.split_once("\n\n").unwrap_or((&about, ""));
    let summary = match operation.deprecation() {
        Some(note) => format!("{summary} (deprecated: {note})"),
        None => summary.to_owned(),
    };
    let description: Vec<&str> = description.split_whitespace().collect();
    let long = format!("{summary}\n\n{}", description.join(" "));
    let command = command
        .about(summary)
        .long_about(long.trim().to_owned())
        .mut_args(|arg| {
            if arg.get_id() == "json-body" {
                arg.help(JSON_BODY)
            } else {
                arg
            }
        })
        .mut_args(name_value);
    let command = add_all(command);
    usage::with_usage(command, PROGRAM)
}

/// Says what the value of an option is, and takes numbers that begin with a minus.
fn name_value(arg: Arg) -> Arg {
    let kind = arg.get_value_parser().type_id();
    let name = if kind == TypeId::of::<DateTime<Utc>>() {
        TIME_FORMAT
    } else if kind == TypeId::of::<i64>() {
        "INTEGER"
    } else if kind == TypeId::of::<f64>() {
        "NUMBER"
    } else if kind == TypeId::of::<bool>() {
        "BOOLEAN"
    } else if arg.get_id() == "json-body" {
        "FILE"
    } else {
        "TEXT"
    };
    if arg.is_positional() {
        arg.allow_negative_numbers(true)
    } else {
        arg.value_name(name).allow_negative_numbers(true)
    }
}

/// Lists can be read to their last page.
fn add_all(command: Command) -> Command {
    if command.get_arguments().any(|arg| arg.get_id() == "after") {
        let all = Arg::new("all")
            .long("all")
            .action(ArgAction::SetTrue)
            .help("All records, not only one page");
        return command.arg(all).mut_arg("limit", |limit| {
            let all_is_set = ArgPredicate::Equals("true".into());
            limit.default_value_if("all", all_is_set, ALL_PAGE_SIZE)
        });
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_pass_debug_assert() {
        command().debug_assert();
    }

    #[test]
    fn only_lists_have_all() {
        let has_all = |name: &str| {
            let command = command();
            let found = command.find_subcommand(name).expect("a command");
            found.get_arguments().any(|arg| arg.get_id() == "all")
        };
        assert!(has_all("list-pets") && has_all("list-inventory"));
        assert!(!has_all("get-pet"));
    }

    #[test]
    fn help_hides_api_key() {
        let command = command();
        let key = command
            .get_arguments()
            .find(|arg| arg.get_id() == "key")
            .expect("a key");
        assert!(key.is_hide_env_values_set());
    }
}
