//! The clap commands: global options, and one command for each operation.

use std::any::TypeId;

use chrono::{DateTime, Utc};
use clap::builder::{ArgPredicate, EnumValueParser};
use clap::{Arg, ArgAction, Command, value_parser};
use spec_cli::{Format, Profiles, shell, tail};

use crate::cli::{Cli, CliCommand};
use crate::output::Output;

const ABOUT: &str = "Command line of the petstore: one command for each operation.";

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  the service returned an error; the message says why
  2  the command cannot work as it is: an argument, a file, the API key, or the URL (its scheme, host or certificate)
  3  no response, or an unexpected one

Retries and longer waits are announced on standard error.";

const JSON_BODY: &str = "JSON file with the request body, - for standard input; options of single properties override it";

/// The format of a date-time argument (RFC 3339), shown in help and in error messages.
const TIME_FORMAT: &str = "YYYY-MM-DDThh:mm:ssZ";
/// The number of records per page that `--all` requests.
const ALL_PAGE_SIZE: &str = "100";
const TIME: TypeId = TypeId::of::<DateTime<Utc>>();

/// Builds the parser of the command line: global options, and one command for each operation.
pub fn command() -> Command {
    let command = Command::new("petstorectl")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXIT_CODES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_options());
    let operations = CliCommand::iter().map(operation_command);
    command
        .subcommands(operations)
        .subcommand(tail::command())
        .subcommands(shell::commands())
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
            .env("PETSTORE_URL")
            .default_value("http://127.0.0.1:8080")
            .help("Base URL of the service"),
        Arg::new("key")
            .long("key")
            .env("PETSTORE_API_KEY")
            .hide_env_values(true)
            .help("API key; prefer the environment variable, which the process list does not show"),
        Arg::new("output")
            .long("output")
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
            .value_parser(value_parser!(u64).range(1..))
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
        .mut_args(|arg| match arg.get_id() == "json-body" {
            true => arg.help(JSON_BODY),
            false => arg,
        })
        .mut_args(|arg| match arg.get_value_parser().type_id() == TIME {
            true => arg.value_name(TIME_FORMAT),
            false => arg,
        });
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
