//! The settings of a file (TOML): its keys are the flags of the command `serve`, without the hyphens before them.
//!
//! A value of the file becomes the default of its flag. So a flag overrides an environment variable, which overrides the
//! file, and every command that has the flag uses it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::{OsStr, Resettable};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The flags that are about the file itself, or about one run of the command.
const NOT_IN_FILE: [&str; 3] = ["config", "check", "help"];

/// The settings of a file, each with values that its flag accepts.
#[derive(Debug)]
pub(super) struct ConfigFile {
    settings: Vec<(String, Vec<String>)>,
}

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub(super) enum ConfigFileError {
    /// It cannot be read.
    #[error("the configuration file {} cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },

    /// A part of it is wrong.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Invalid {
        path: PathBuf,
        line: usize,
        column: usize,
        message: String,
    },
}

impl ConfigFile {
    /// Reads the settings of the file at `path` for the command `serve`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not TOML, has a key that is no flag of the command, or a value that the flag does not accept.
    pub(super) fn read(path: &Path, serve: &Command) -> Result<ConfigFile, ConfigFileError> {
        let text = fs::read_to_string(path).map_err(|source| ConfigFileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        ConfigFile::parse(&text, serve).map_err(|(offset, message)| {
            let before = &text[..offset.min(text.len())];
            let column = before.rsplit('\n').next().unwrap_or(before);
            ConfigFileError::Invalid {
                path: path.to_owned(),
                line: before.matches('\n').count() + 1,
                column: column.chars().count() + 1,
                message,
            }
        })
    }

    /// Makes the settings the defaults of the flags with their names, in all commands below `program`.
    pub(super) fn set_defaults(&self, program: Command) -> Command {
        let names = program.get_subcommands().map(|it| it.get_name().to_owned());
        let names: Vec<String> = names.collect();
        let program = self.settings.iter().fold(program, |command, setting| {
            let (flag, values) = setting;
            let argument = command.get_arguments().find(|it| is_flag(it, flag));
            match argument.map(|it| it.get_id().clone()) {
                Some(id) => command.mut_arg(id, |it| it.default_values(values)),
                None => command,
            }
        });
        names.into_iter().fold(program, |command, name| {
            command.mut_subcommand(name, |it| self.set_defaults(it))
        })
    }

    /// Parses the text of a file. An error has the place where it is, as an offset in bytes.
    fn parse(text: &str, serve: &Command) -> Result<ConfigFile, (usize, String)> {
        let table = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            (offset, error.message().to_owned())
        })?;
        // The variables of this process do not matter to the file.
        let probe = serve
            .clone()
            .mut_args(|it| it.env(Resettable::<OsStr>::Reset));
        let settings = table.get_ref().iter().map(|(key, value)| {
            let flag = key.get_ref().as_ref();
            let argument = find_flag(serve, flag)
                .ok_or_else(|| (key.span().start, describe_unknown(serve, flag)))?;
            let values = values_of(argument, value)
                .and_then(|values| check_values(&probe, flag, values))
                .map_err(|message| (value.span().start, format!("{flag}: {message}")))?;
            Ok((flag.to_owned(), values))
        });
        Ok(ConfigFile {
            settings: settings.collect::<Result<_, _>>()?,
        })
    }
}

fn is_flag(argument: &Arg, flag: &str) -> bool {
    argument.get_long() == Some(flag)
}

fn flags(serve: &Command) -> impl Iterator<Item = &Arg> {
    let is_known = |it: &&Arg| {
        let flag = it.get_long();
        !it.is_hide_set() && flag.is_some_and(|flag| !NOT_IN_FILE.contains(&flag))
    };
    serve.get_arguments().filter(is_known)
}

fn find_flag<'c>(serve: &'c Command, flag: &str) -> Option<&'c Arg> {
    flags(serve).find(|it| is_flag(it, flag))
}

fn describe_unknown(serve: &Command, flag: &str) -> String {
    let mut known: Vec<&str> = flags(serve).filter_map(Arg::get_long).collect();
    known.sort_unstable();
    format!(
        "there is no setting `{flag}`; the settings are {}",
        known.join(", ")
    )
}

/// The values of a setting as the texts that a flag has. Only a flag that may be repeated has several.
fn values_of(argument: &Arg, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, String> {
    let is_list = matches!(argument.get_action(), ArgAction::Append);
    match value.get_ref() {
        DeValue::Array(values) if is_list => values.iter().map(text_of).collect(),
        _ => text_of(value).map(|text| vec![text]),
    }
}

fn text_of(value: &Spanned<DeValue<'_>>) -> Result<String, String> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(|number| number.to_string())
            .map_err(|_| "the number is too large".to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Boolean(is_true) => Ok(is_true.to_string()),
        other => Err(format!(
            "write a text in quotes or a number, not a value of the type {}",
            other.type_str()
        )),
    }
}

/// Lets the command parse the values as those of its flag.
fn check_values(probe: &Command, flag: &str, values: Vec<String>) -> Result<Vec<String>, String> {
    let arguments = values.iter().map(|value| format!("--{flag}={value}"));
    let arguments = std::iter::once(probe.get_name().to_owned()).chain(arguments);
    match probe.clone().try_get_matches_from(arguments) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::NoEquals
            ) =>
        {
            Err(in_one_line(&error))
        }
        // Whether a flag needs another one is decided with all of them.
        Ok(_) | Err(_) => Ok(values),
    }
}

/// The message of an error of the command line, without its advice to read the help.
fn in_one_line(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    let message = text.split("\n\nFor more information").next();
    let message = message.unwrap_or_default().trim_start_matches("error: ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::value_parser;

    use super::*;

    fn serve() -> Command {
        let flag = |name: &'static str| Arg::new(name).long(name);
        Command::new("serve").args([
            flag("listen")
                .env("SERVE_LISTEN_OF_TEST")
                .default_value("here"),
            flag("max-body").value_parser(value_parser!(u32)),
            flag("trusted-proxy").action(ArgAction::Append),
            flag("format").value_parser(["json", "text"]),
            flag("config"),
            flag("port").hide(true),
        ])
    }

    fn parse(text: &str) -> Result<ConfigFile, (usize, String)> {
        ConfigFile::parse(text, &serve())
    }

    #[test]
    fn values_are_defaults_that_flags_override() {
        let text = "listen = \"there\"\nmax-body = 1_0\ntrusted-proxy = [\"a\", \"b\"]\n";
        let file = parse(text).unwrap();
        let program = Command::new("program").subcommand(serve());
        let parse = |arguments: &[&str]| {
            let program = file.set_defaults(program.clone());
            let matches = program.get_matches_from([&["program", "serve"], arguments].concat());
            let serve = matches.subcommand_matches("serve").unwrap();
            let listen = serve.get_one::<String>("listen").unwrap().clone();
            let proxies = serve.get_many::<String>("trusted-proxy").unwrap().cloned();
            (
                listen,
                *serve.get_one::<u32>("max-body").unwrap(),
                proxies.collect::<Vec<_>>().join(" "),
            )
        };
        assert_eq!(parse(&[]), ("there".to_owned(), 10, "a b".to_owned()));
        let flags = ["--listen", "elsewhere", "--trusted-proxy", "c"];
        assert_eq!(parse(&flags), ("elsewhere".to_owned(), 10, "c".to_owned()));
    }

    #[test]
    fn error_has_the_place_and_the_reason() {
        for (text, offset, message) in [
            ("\nlisten", 1, "key"),
            (
                "\nlisen = 1",
                1,
                "there is no setting `lisen`; the settings are format, listen, max-body, trusted-proxy",
            ),
            ("config = \"x\"", 0, "there is no setting `config`"),
            ("port = 1", 0, "there is no setting `port`"),
            ("[listen]\na = 1", 0, "not a value of the type table"),
            (
                "max-body = \"x\"",
                11,
                "max-body: invalid value 'x' for '--max-body <max-body>': invalid digit",
            ),
            ("max-body = 1.5", 11, "invalid value '1.5' for '--max-body"),
            ("max-body = [1]", 11, "not a value of the type array"),
            ("format = \"xml\"", 9, "[possible values: json, text]"),
        ] {
            let (found, reason) = parse(text).unwrap_err();
            assert!(reason.contains(message), "{text}: {reason}");
            if message != "key" {
                assert_eq!(found, offset, "{text}: {reason}");
            }
        }
    }
}
