//! What the programs share: how they parse arguments, when they write colours, how an error begins, and the commands for
//! completions and manual pages.

mod shell;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, ColorChoice, Command, Error, Parser};

pub use self::shell::ShellCommand;

/// The largest number of names that an error suggests.
const MAX_SUGGESTIONS: usize = 3;

/// Whether colours may be written to a stream: it is a terminal, and neither `NO_COLOR` nor `TERM=dumb` forbids them.
pub fn has_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && allows_colours(|name| std::env::var_os(name))
}

fn allows_colours(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_forbidden = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_forbidden && variable("TERM").is_some_and(|terminal| terminal != "dumb")
}

/// Parses arguments, the first of which is the name of the program. Of the commands that an error suggests, the nearest is first.
///
/// # Errors
///
/// The arguments are wrong, or ask for help.
pub fn parse(
    command: Command,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<ArgMatches, Error> {
    // Clap finds out whether the stream is a terminal.
    let colours = if allows_colours(|name| std::env::var_os(name)) {
        ColorChoice::Auto
    } else {
        ColorChoice::Never
    };
    let parsed = command.color(colours).try_get_matches_from(arguments);
    parsed.map_err(|error| {
        let mut error = without_passwords(error);
        if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
            // Clap has the nearest last.
            let nearest = names.iter().rev().take(MAX_SUGGESTIONS).cloned().collect();
            error.insert(
                ContextKind::SuggestedSubcommand,
                ContextValue::Strings(nearest),
            );
        }
        error
    })
}

/// The error without the value, if that should be a URL, or is one with a user: it may hold a password, wherever it is malformed.
fn without_passwords(mut error: Error) -> Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let (argument, value) = (
        text(ContextKind::InvalidArg),
        text(ContextKind::InvalidValue),
    );
    if argument.contains("URL>") || value.contains('@') && value.contains(':') {
        let hidden = ContextValue::String("(hidden, as it may have a password)".to_owned());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

/// Parses the arguments of this process. Help and errors end it.
pub fn parse_or_exit<P: Parser>() -> P {
    let parsed = parse(P::command(), std::env::args_os());
    let parsed = parsed.and_then(|matches| P::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| error.exit())
}

/// Prints the error of a command on standard error, in the form of clap's own errors. Ignores that it is closed.
pub fn print_error(error: impl Display) {
    let _ = writeln!(io::stderr(), "error: {error}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_know_them_unless_they_are_forbidden() {
        for (terminal, no_color, expected) in [
            (Some("xterm"), None, true),
            (Some("xterm"), Some(""), true),
            (Some("xterm"), Some("1"), false),
            (Some("dumb"), None, false),
            (None, None, false),
        ] {
            let variable = |name: &str| match name {
                "TERM" => terminal.map(OsString::from),
                _ => no_color.map(OsString::from),
            };
            assert_eq!(
                allows_colours(variable),
                expected,
                "{terminal:?} {no_color:?}"
            );
        }
    }

    #[test]
    fn url_that_may_have_a_password_is_not_in_an_error() {
        let number = |name| {
            clap::Arg::new(name)
                .long(name)
                .value_parser(clap::value_parser!(u16))
        };
        let command = Command::new("pets").arg(number("port"));
        let command = command.arg(number("limits").value_name("URL"));
        for (flag, value, is_shown) in [
            ("--port", "redis://u:s3cret/pw@redis", false),
            ("--port", "seven", true),
            ("--limits", "redis://u:s3cret", false),
        ] {
            let arguments = ["pets", flag, value].map(OsString::from);
            let error = parse(command.clone(), arguments).expect_err("it is no number");
            assert_eq!(error.to_string().contains(value), is_shown, "{error}");
        }
    }

    #[test]
    fn nearest_name_is_suggested_first() {
        let names = [
            "list-pets",
            "list-orders",
            "get-pet",
            "list-pet-photos",
            "list",
        ];
        let command = Command::new("pets").subcommands(names.map(Command::new));
        let arguments = ["pets", "list-pet"].map(OsString::from);
        let error = parse(command, arguments).expect_err("there is no such command");
        let error = error.to_string();
        let tip = "exist: 'list-pets', 'list-pet-photos', 'list'\n";
        assert!(error.contains(tip), "{error}");
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
