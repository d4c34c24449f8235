//! The clap commands: global options, one command for each operation, and those for the shell.

use std::time::Duration;

use clap::builder::EnumValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};

use crate::document::Interface;
use crate::format::Format;
use crate::help::{self, Group};
use crate::operation::{Form, Operation};
use crate::retry::RetryPolicy;
use crate::settings::Settings;
use crate::shell;
use crate::tail;
use crate::usage;

/// The option that prints the request as a command of curl.
pub(crate) const CURL: &str = "curl";

/// The option that shows what is sent and received.
pub(crate) const VERBOSE: &str = "verbose";

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  the service returned an error; the message says why
  2  the command is wrong: an argument, a file, the credentials, or the URL
  3  no response, or one that cannot be read";

/// Builds the parser of the command line.
pub fn command(interface: &Interface, settings: &Settings) -> Command {
    let info = &interface.document["info"];
    let title = info["title"].as_str().unwrap_or("the service");
    let operations = interface.operations.iter().map(operation_command);
    let operations = operations.map(|command| usage::with_usage(command, &settings.name));
    Command::new(settings.name.clone())
        .version(settings.version.clone())
        .about(format!(
            "Command line of {title}: one command for each operation"
        ))
        .help_template(help::TEMPLATE)
        .after_help(format!(
            "{}{}{EXIT_CODES}",
            help::list_commands(&groups(interface)),
            examples(interface, settings),
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_options(interface, settings))
        .subcommands(operations)
        .subcommands(interface.has_tail().then(tail::command))
        .subcommands(shell::commands())
}

/// The commands, by the tags of their operations in the order of the document.
fn groups(interface: &Interface) -> Vec<Group> {
    let commands = interface.operations.iter().map(|operation| {
        let title = heading(operation).to_owned();
        [title, operation.name.clone(), summary(operation)]
    });
    let mut groups = help::group(commands);
    groups.push(Group::of_shell(interface.has_tail()));
    groups
}

/// Commands that work as they are, if there is an operation that only reads and requires nothing.
fn examples(interface: &Interface, settings: &Settings) -> String {
    let reads = |it: &&Operation| it.method == "GET" && it.flags.iter().all(|flag| !flag.required);
    let Some(operation) = interface.operations.iter().find(reads) else {
        return String::new();
    };
    let line = format!("{} {}", settings.name, operation.name);
    format!("Examples:\n  {line}\n  {line} --output json\n  {line} --curl\n\n")
}

fn heading(operation: &Operation) -> &str {
    operation.tag.as_deref().unwrap_or("Commands")
}

/// One line about an operation.
fn summary(operation: &Operation) -> String {
    let first = operation.description.split("\n\n").next();
    let text = if operation.summary.is_empty() {
        first.unwrap_or_default()
    } else {
        &operation.summary
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match operation.deprecation {
        Some(_) => format!("{text} (deprecated)"),
        None => text,
    }
}

fn operation_command(operation: &Operation) -> Command {
    let description: Vec<String> = operation
        .description
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let mut paragraphs = vec![summary(operation)];
    // Without a summary, the first paragraph stands for it.
    let shown = usize::from(operation.summary.is_empty());
    paragraphs.extend(description.into_iter().skip(shown));
    let long = paragraphs.join("\n\n");
    let request = format!("Request: {} {}", operation.method, operation.path);
    let command = Command::new(operation.name.clone())
        .about(summary(operation))
        .long_about(long.trim().to_owned())
        .after_help(request)
        .args(operation.flags.iter().flat_map(|flag| flag.arguments()));
    let Some(body) = &operation.body else {
        return command;
    };
    let file = Arg::new("body-file")
        .long("body-file")
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .help("File with the request body, - for standard input");
    let text = Arg::new("body")
        .long("body")
        .value_name(match body.form {
            Form::Raw => "TEXT",
            _ => "JSON",
        })
        .allow_hyphen_values(true)
        .conflicts_with("body-file")
        .help("The request body; options of single properties override it");
    let content_type = Arg::new("content-type")
        .long("content-type")
        .value_name("MEDIA-TYPE")
        .value_parser(clap::builder::PossibleValuesParser::new(
            body.media_types.clone(),
        ))
        .hide(body.media_types.len() < 2)
        .help("The media type of the body");
    // Properties without a whole body are required by themselves.
    let has_flags = operation.flags.iter().any(|flag| flag.is_of_body());
    let text = if body.required && !has_flags {
        text.required_unless_present("body-file")
    } else {
        text
    };
    command.args([text, file, content_type])
}

fn global_options(interface: &Interface, settings: &Settings) -> Vec<Arg> {
    let servers = interface.server_urls();
    let named = if servers.is_empty() {
        String::new()
    } else {
        format!("; the document names {}", servers.join(", "))
    };
    let url = Arg::new("url")
        .long("url")
        .env(settings.url_variable())
        .value_name("URL")
        .help(format!("Base URL of the service{named}"));
    let url = match &settings.default_url {
        Some(default) => url.default_value(default.clone()),
        None => url,
    };
    let mut options = vec![url];
    options.extend(
        interface
            .schemes
            .iter()
            .map(|scheme| scheme.argument(settings)),
    );
    options.extend([
        Arg::new("output")
            .long("output")
            .value_name("FORMAT")
            .value_parser(EnumValueParser::<Format>::new())
            .default_value("table")
            .help("Output format"),
        Arg::new("output-file")
            .long("output-file")
            .value_name("FILE")
            .value_hint(ValueHint::FilePath)
            .help("Write the body of the response to a file, as it is"),
        Arg::new("timeout")
            .long("timeout")
            .value_name("SECONDS")
            .value_parser(usage::parse_seconds)
            .default_value("90")
            .help("Maximum duration of the request, with its retries"),
        Arg::new("retries")
            .long("retries")
            .value_name("NUMBER")
            .value_parser(value_parser!(u32))
            .default_value("3")
            .help("How often to send it again: after 429 or no connection; if that is safe, also after 503 or no response"),
        Arg::new(CURL)
            .long("curl")
            .action(ArgAction::SetTrue)
            .help("Print the request as a curl command, and do not send it"),
        Arg::new(VERBOSE)
            .long(VERBOSE)
            .action(ArgAction::SetTrue)
            .help("Show on standard error what is sent and received, without credentials"),
        settings.profiles().argument(),
    ]);
    let global = |option: Arg| option.global(true).help_heading("Service");
    options.into_iter().map(global).collect()
}

/// How often and how long a request is tried.
pub(crate) fn retry_policy(matches: &ArgMatches) -> RetryPolicy {
    RetryPolicy {
        retries: matches.get_one("retries").copied().unwrap_or(3),
        timeout: Duration::from_secs(matches.get_one("timeout").copied().unwrap_or(90)),
    }
}
