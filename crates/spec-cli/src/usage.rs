//! Parses the command line, and describes its mistakes in the words of the person who typed them.

use std::error::Error;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};

use crate::failure::Failure;
use crate::sanitize::escape_line;

/// What a value is not, as a phrase that follows it, such as `is not a whole number`. For value parsers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Mistake(String);

/// Parses arguments, the first of which is the name of the program. Help ends the process, and so does wrong usage that is
/// shown in several lines.
///
/// # Errors
/// The value of an argument is wrong.
pub(crate) fn parse(mut command: Command, arguments: Vec<OsString>) -> Result<ArgMatches, Failure> {
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
            let value = escape_line(text(ContextKind::InvalidValue)?);
            let mistake = error.source()?;
            Some(format!("{argument}: \"{value}\" {mistake}"))
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
pub(crate) fn parse_seconds(text: &str) -> Result<u64, Mistake> {
    let wrong = || Mistake("is not a number of seconds, 1 or more".to_owned());
    let seconds = text.parse().map_err(|_| wrong())?;
    Some(seconds).filter(|it| *it > 0).ok_or_else(wrong)
}

/// A whole number, 0 or more.
pub(crate) fn parse_count(text: &str) -> Result<u32, Mistake> {
    let wrong = |_| Mistake("is not a whole number, 0 or more".to_owned());
    text.parse().map_err(wrong)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::Arg;

    use super::*;

    fn command() -> Command {
        let get = Command::new("get-pet")
            .arg(
                Arg::new("PET-ID")
                    .value_parser(parse_count)
                    .required_unless_present("pet-id"),
            )
            .arg(
                Arg::new("pet-id")
                    .long("pet-id")
                    .value_parser(parse_count)
                    .allow_negative_numbers(true),
            )
            .arg(Arg::new("name").long("name").required(true))
            .arg(
                Arg::new("wait")
                    .long("wait")
                    .value_parser(parse_seconds)
                    .global(true),
            );
        Command::new("pets")
            .subcommand_required(true)
            .subcommand(get)
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
                "<PET-ID>: \"abc\" is not a whole number, 0 or more",
            ),
            (
                "pets get-pet --pet-id -1",
                "--pet-id: \"-1\" is not a whole number, 0 or more",
            ),
            (
                "pets get-pet 1 --wait 0",
                "--wait: \"0\" is not a number of seconds, 1 or more",
            ),
        ] {
            assert_eq!(mistake(line), expected);
        }
    }
}
