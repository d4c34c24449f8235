//! The clap commands: global options, one command for each operation, and those for the shell.

use clap::builder::{EnumValueParser, PossibleValuesParser};
use clap::{Arg, ArgAction, Command, Subcommand, ValueHint, value_parser};
use dropspec_command_line::ShellCommand;

use crate::body::Body;
use crate::document::Interface;
use crate::flags::Flag;
use crate::format::Format;
use crate::operation::Operation;
use crate::options::{ALL, CACERT, CURL, OUTPUT, RETRIES, SHOW_ETAG, TIMEOUT, VERBOSE};
use crate::profile;
use crate::schemes::Scheme;
use crate::tail;

/// The help of a program: its commands stand before its options.
const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}";

const EXIT_CODES: &str = "Exit codes:
  0  success
  1  the service returned an error; the message says why
  2  the command is wrong: an argument, a file, the credentials, or the URL
  3  no response, or one that cannot be read";

/// Builds the parser of the command line.
pub fn command(interface: &Interface) -> Command {
    let settings = &interface.settings;
    let info = &interface.document["info"];
    let title = info["title"].as_str().unwrap_or("the service");
    let operations = interface.operations.iter();
    let operations = operations.map(|it| operation_command(it, &settings.name));
    let others = interface.has_tail().then(tail::command).into_iter();
    let shell = ShellCommand::augment_subcommands(Command::new("shell"));
    let others: Vec<Command> = others.chain(shell.get_subcommands().cloned()).collect();
    Command::new(settings.name.clone())
        .version(settings.version.clone())
        .about(format!(
            "Command line of {title}: one command for each operation"
        ))
        .help_template(TEMPLATE)
        .after_help(format!(
            "{}{}{EXIT_CODES}",
            list_commands(interface, &others),
            examples(interface),
        ))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(global_options(interface))
        .subcommands(operations)
        .subcommands(others)
}

/// The commands, by the tags of their operations in the order of the document, each below its parent. Clap has no groups of commands.
fn list_commands(interface: &Interface, others: &[Command]) -> String {
    let operations = interface.operations.iter();
    let operations = operations.map(|it| (it.tags.as_slice(), it.name.clone(), summary(it)));
    let others = others.iter().map(|it| {
        let about = it.get_about().map(ToString::to_string).unwrap_or_default();
        (&["More"][..], it.get_name().to_owned(), about)
    });
    let help = "Show the options of a command: `help COMMAND`";
    let help = (&["More"][..], "help".to_owned(), help.to_owned());
    let all: Vec<_> = operations.chain(others).chain([help]).collect();
    let width = all.iter().map(|(_, name, _)| name.len()).max().unwrap_or(0);
    let mut groups: Vec<(&[&str], String)> = Vec::new();
    for (titles, name, about) in all {
        let line = format!("  {name:width$}  {about}\n");
        match groups.iter_mut().find(|(known, _)| *known == titles) {
            Some((_, lines)) => lines.push_str(&line),
            None => groups.push((titles, line)),
        }
    }
    let known: Vec<&[&str]> = groups.iter().map(|(titles, _)| *titles).collect();
    groups.sort_by_cached_key(|(titles, _)| -> Vec<_> {
        let above = (1..=titles.len()).map(|count| &titles[..count]);
        above
            .map(|above| known.iter().position(|it| it.starts_with(above)))
            .collect()
    });
    let groups = groups.iter();
    groups
        .map(|(titles, lines)| format!("{}:\n{lines}\n", titles.join(" > ")))
        .collect()
}

/// Commands that work as they are, if there is an operation that only reads and requires nothing.
fn examples(interface: &Interface) -> String {
    let reads = |it: &&Operation| it.method == "GET" && it.flags.iter().all(|flag| !flag.required);
    let Some(operation) = interface.operations.iter().find(reads) else {
        return String::new();
    };
    let line = format!("{} {}", interface.settings.name, operation.name);
    format!("Examples:\n  {line}\n  {line} --output json\n  {line} --curl\n\n")
}

/// One line about an operation.
fn summary(operation: &Operation) -> String {
    let request = || format!("{} {}", operation.method, operation.path);
    let text = operation.about.first().cloned().unwrap_or_else(request);
    match &operation.deprecation {
        Some(note) => format!("{text} (deprecated: {note})"),
        None => text,
    }
}

fn operation_command(operation: &Operation, program: &str) -> Command {
    let mut paragraphs = vec![summary(operation)];
    paragraphs.extend(operation.about.iter().skip(1).cloned());
    let request = format!("Request: {} {}", operation.method, operation.path);
    let command = Command::new(operation.name.clone())
        .about(summary(operation))
        .long_about(paragraphs.join("\n\n"))
        .after_help(request)
        .override_usage(usage(operation, program))
        .args(operation.flags.iter().flat_map(|flag| flag.arguments()))
        .args(response_options(operation));
    let Some(body) = &operation.body else {
        return command;
    };
    let file = option(
        "body-file",
        "FILE",
        "File with the request body, - for standard input",
    )
    .value_hint(ValueHint::FilePath);
    let text = "The request body; options of single properties override it";
    let text = option("body", value_name(body), text)
        .allow_hyphen_values(true)
        .conflicts_with("body-file");
    let content_type = option("content-type", "MEDIA-TYPE", "The media type of the body")
        .value_parser(PossibleValuesParser::new(body.media_types.clone()))
        .hide(body.media_types.len() < 2);
    // Properties without a whole body are required by themselves.
    let has_flags = operation.flags.iter().any(|flag| flag.is_of_body());
    let text = if body.required && !has_flags {
        text.required_unless_present("body-file")
    } else {
        text
    };
    command.args([text, file, content_type])
}

/// The usage in one line, with what it requires. Clap would leave out arguments that a position or a flag can give.
fn usage(operation: &Operation, program: &str) -> String {
    let flags = operation.flags.iter().filter(|flag| flag.required);
    let (positions, options): (Vec<_>, Vec<_>) = flags.partition(|it| it.position().is_some());
    let mut words = [program, &operation.name, "[OPTIONS]"]
        .map(str::to_owned)
        .to_vec();
    words.extend(options.into_iter().map(Flag::usage));
    if let Some(body) = operation.body.as_ref().filter(|it| it.required)
        && !operation.flags.iter().any(Flag::is_of_body)
    {
        words.push(format!("--body <{}>", value_name(body)));
    }
    words.extend(positions.into_iter().map(Flag::usage));
    words.join(" ")
}

/// What stands for the body in help.
fn value_name(body: &Body) -> &'static str {
    if body.is_raw() { "TEXT" } else { "JSON" }
}

/// The options for what the document says of the response.
fn response_options(operation: &Operation) -> Vec<Arg> {
    let all = switch(ALL, "All records, not only one page");
    let show_etag = "Print the entity tag to standard error, for --if-match and --if-none-match";
    let show_etag = switch(SHOW_ETAG, show_etag);
    let all = operation.has_pages.then_some(all);
    let show_etag = operation.has_etag.then_some(show_etag);
    all.into_iter().chain(show_etag).collect()
}

fn global_options(interface: &Interface) -> Vec<Arg> {
    let settings = &interface.settings;
    let mut about_url = "Base URL of the service".to_owned();
    let servers = interface.server_urls();
    if !servers.is_empty() {
        about_url.push_str(&format!("; the document names {}", servers.join(", ")));
    }
    let url = option("url", "URL", &about_url).env(settings.url_variable());
    let url = match &settings.default_url {
        Some(default) => url.default_value(default.clone()),
        None => url,
    };
    let retries = "How often to send it again: after 429 or no connection; if that is safe, also after 503 or no response";
    let verbose = "Show on standard error what is sent and received, without credentials";
    let mut options = vec![url];
    options.extend(interface.schemes.iter().map(Scheme::argument));
    options.extend([
        option(
            CACERT,
            "FILE",
            "Certificates in PEM to trust instead of those of this machine",
        )
        .env(settings.cacert_variable())
        .value_hint(ValueHint::FilePath),
        option(OUTPUT, "FORMAT", "Output format")
            .value_parser(EnumValueParser::<Format>::new())
            .default_value("table"),
        option(
            "output-file",
            "FILE",
            "Write the body of the response to a file, as it is",
        )
        .value_hint(ValueHint::FilePath),
        option(
            TIMEOUT,
            "SECONDS",
            "Maximum duration of the request, with its retries",
        )
        .value_parser(value_parser!(u64).range(1..))
        .default_value("90"),
        option(RETRIES, "NUMBER", retries)
            .value_parser(value_parser!(u32))
            .default_value("7"),
        switch(
            CURL,
            "Print the request as a curl command, and do not send it",
        ),
        switch(VERBOSE, verbose),
        profile::argument(settings),
    ]);
    let global = |option: Arg| option.global(true).help_heading("Service");
    options.into_iter().map(global).collect()
}

fn option(name: &'static str, value: &'static str, about: &str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name(value)
        .help(about.to_owned())
}

/// An option without a value.
fn switch(name: &'static str, about: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(about)
}
