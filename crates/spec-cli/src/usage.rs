//! Parses the command line, and describes its mistakes in the words of the person who typed them.

use std::error::Error;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};

use crate::failure::Failure;
use crate::sanitize::escape_line;

/// What a value is not, as a phrase that follows it, such as `is not a whole number`. For value parsers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub String);

/// Parses arguments, the first of which is the name of the program. Help ends the process, and so does wrong usage that is
/// shown in several lines.
///
/// # Errors
/// The value of an argument is wrong.
pub fn parse(mut command: Command, arguments: Vec<OsString>) -> Result<ArgMatches, Failure> {
    if arguments.len() < 2 {
        // Clap would say that a command is missing if a variable of the environment sets an option.
        eprint!("{}", command.render_help().ansi());
        std::process::exit(2);
    }
    match command.try_get_matches_from(arguments) {
        Ok(matches) => Ok(matches),
        Err(error) => match describe(&error) {
            Some(text) => Err(Failure::Usage(text)),
            None => error.exit(),
        },
    }
}

/// One line about a mistake; `None` if clap describes it.
fn describe(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::ValueValidation => {
            let argument = name_of_argument(text(ContextKind::InvalidArg)?);
            let value = text(ContextKind::InvalidValue)?;
            Some(describe_value(&argument, value, error.source()?))
        }
        ErrorKind::MissingSubcommand => {
            let program = text(ContextKind::InvalidSubcommand)?;
            Some(format!(
                "a command is missing; `{program} --help` lists them"
            ))
        }
        _ => None,
    }
}

/// A wrong value with its argument, in one line.
pub(crate) fn describe_value(
    argument: &str,
    value: &str,
    reason: &(dyn Error + 'static),
) -> String {
    let value = escape_line(value);
    match phrase(reason) {
        Some(phrase) => format!("{argument}: \"{value}\" {phrase}"),
        None => format!("{argument}: \"{value}\": {reason}"),
    }
}

/// What a value is not, for the parsers of numbers and times.
fn phrase(reason: &(dyn Error + 'static)) -> Option<String> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    if let Some(mistake) = reason.downcast_ref::<Mistake>() {
        return Some(mistake.to_string());
    }
    let phrase = if let Some(error) = reason.downcast_ref::<ParseIntError>() {
        match error.kind() {
            PosOverflow => "is too large",
            NegOverflow => "is too small",
            _ => "is not a whole number",
        }
    } else if reason.is::<ParseFloatError>() {
        "is not a number"
    } else if reason.is::<chrono::ParseError>() {
        "is not a time such as 2026-12-31T23:59:00Z"
    } else {
        return None;
    };
    Some(phrase.to_owned())
}

/// `--pet-id` of `--pet-id <INTEGER>`, and `<PET-ID>` of `[PET-ID]`.
fn name_of_argument(shown: &str) -> String {
    match shown.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(position) => format!("<{position}>"),
        None => {
            let first = shown.split(' ').next();
            first.unwrap_or(shown).to_owned()
        }
    }
}

/// A number of seconds, at least 1.
pub fn parse_seconds(text: &str) -> Result<u64, Mistake> {
    let wrong = || Mistake("is not a number of seconds, 1 or more".to_owned());
    let seconds = text.parse().map_err(|_| wrong())?;
    Some(seconds).filter(|it| *it > 0).ok_or_else(wrong)
}

/// The command with its usage in one line: what it requires, without the options that the environment sets.
#[must_use]
pub fn with_usage(command: Command, program: &str) -> Command {
    let mut words = vec![program.to_owned(), command.get_name().to_owned()];
    words.push("[OPTIONS]".to_owned());
    words.extend(required(command.clone()));
    command.override_usage(words.join(" "))
}

/// The arguments that a command requires, as clap shows them. It tells them only to those who leave them out.
fn required(command: Command) -> Vec<String> {
    let name = command.get_name().to_owned();
    let error = command
        .arg_required_else_help(false)
        .try_get_matches_from([name]);
    let error = error.err();
    match error
        .as_ref()
        .and_then(|error| error.get(ContextKind::InvalidArg))
    {
        Some(ContextValue::Strings(arguments)) => arguments.clone(),
        Some(ContextValue::String(argument)) => vec![argument.clone()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::{Arg, value_parser};

    use super::*;

    fn command() -> Command {
        let id = || value_parser!(i64);
        let get = Command::new("get-pet")
            .arg(
                Arg::new("PET-ID")
                    .value_parser(id())
                    .required_unless_present("pet-id"),
            )
            .arg(Arg::new("pet-id").long("pet-id").value_parser(id()))
            .arg(Arg::new("name").long("name").required(true))
            .arg(
                Arg::new("wait")
                    .long("wait")
                    .value_parser(parse_seconds)
                    .global(true),
            );
        Command::new("pets")
            .subcommand_required(true)
            .subcommand(with_usage(get, "pets"))
    }

    fn mistake(line: &str) -> String {
        let words = line.split(' ').map(OsString::from);
        parse(command(), words.collect()).unwrap_err().to_string()
    }

    #[test]
    fn wrong_value_is_described_with_its_option_or_position() {
        for (line, expected) in [
            (
                "pets get-pet abc",
                "<PET-ID>: \"abc\" is not a whole number",
            ),
            (
                "pets get-pet --pet-id 99999999999999999999",
                "--pet-id: \"99999999999999999999\" is too large",
            ),
            (
                "pets get-pet 1 --wait 0",
                "--wait: \"0\" is not a number of seconds, 1 or more",
            ),
        ] {
            assert_eq!(mistake(line), expected);
        }
    }

    #[test]
    fn usage_has_what_is_required() {
        let usage = with_usage(
            command().find_subcommand("get-pet").unwrap().clone(),
            "pets",
        );
        let usage = usage.clone().render_usage().to_string();
        assert_eq!(
            usage,
            "Usage: pets get-pet [OPTIONS] --name <name> <PET-ID>"
        );
    }
}
