//! The settings of a file (TOML): its keys are the flags of the command `serve`, without the hyphens before them.
//!
//! A value of the file becomes the default of its flag. So a flag overrides an environment variable, which overrides the
//! file, and every command that has the flag uses it.

use std::fs;
use std::path::Path;

use clap::builder::{OsStr, Resettable};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The flags that are about the file itself, or about one run of the command.
const NOT_IN_FILE: [&str; 3] = ["config", "check", "help"];

/// The settings of a file, each with values that its flag accepts.
#[derive(Debug)]
pub(super) struct ConfigFile(Vec<(String, Vec<String>)>);

impl ConfigFile {
    /// Reads the settings of the file at `path` for the command `serve`.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not TOML, has a key that is no flag of the command, or a value that the flag does not accept.
    pub(super) fn read(path: &Path, serve: &Command) -> Result<ConfigFile, String> {
        let path_shown = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            format!("the configuration file {path_shown} cannot be read: {error}")
        })?;
        ConfigFile::parse(&text, serve).map_err(|(offset, message)| {
            let before = &text[..offset.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or(before);
            let column = column.chars().count() + 1;
            format!("{path_shown}:{line}:{column}: {message}")
        })
    }

    /// Makes the settings the defaults of the flags with their names, in all commands below `program`.
    pub(super) fn set_defaults(&self, program: Command) -> Command {
        let names = program.get_subcommands().map(|it| it.get_name().to_owned());
        let names: Vec<String> = names.collect();
        let program = self.0.iter().fold(program, |command, (flag, values)| {
            let is_flag = |it: &&Arg| it.get_long() == Some(flag);
            let argument = command.get_arguments().find(is_flag);
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
            let is_flag = |it: &&Arg| it.get_long() == Some(flag) && !NOT_IN_FILE.contains(&flag);
            let argument = serve
                .get_arguments()
                .find(is_flag)
                .ok_or_else(|| (key.span().start, describe_unknown(serve, flag)))?;
            let values = values_of(argument, value)
                .and_then(|values| check_values(&probe, flag, values))
                .map_err(|message| (value.span().start, format!("{flag}: {message}")))?;
            Ok((flag.to_owned(), values))
        });
        settings.collect::<Result<_, _>>().map(ConfigFile)
    }
}

/// The flags of the command `serve` that are settings of a server.
pub(super) fn settings_of(serve: &Command) -> impl Iterator<Item = &str> {
    let flags = serve.get_arguments().filter_map(Arg::get_long);
    flags.filter(|flag| !NOT_IN_FILE.contains(flag))
}

fn describe_unknown(serve: &Command, flag: &str) -> String {
    let mut known: Vec<&str> = settings_of(serve).collect();
    known.sort_unstable();
    let known = known.join(", ");
    format!("there is no setting `{flag}`; the settings are {known}")
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
    let arguments = values
        .iter()
        .map(|value| format!("--{flag}={value}").into());
    let arguments = std::iter::once(probe.get_name().to_owned().into()).chain(arguments);
    let wrong = [ErrorKind::InvalidValue, ErrorKind::ValueValidation];
    match dropspec_command_line::parse(probe.clone(), arguments) {
        Err(error) if wrong.contains(&error.kind()) => {
            let text = error.to_string();
            let message = text.split("\n\nFor more information").next();
            let message = message.unwrap_or_default().trim_start_matches("error: ");
            Err(message.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        // Whether a flag needs another one is decided with all of them.
        Ok(_) | Err(_) => Ok(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve() -> Command {
        let flag = |name: &'static str| Arg::new(name).long(name);
        Command::new("serve").args([
            flag("listen").default_value("here"),
            flag("trusted-proxy").action(ArgAction::Append),
            flag("config"),
        ])
    }

    #[test]
    fn values_are_defaults_that_flags_override() {
        let text = "listen = 1_0\ntrusted-proxy = [\"a\", \"b\"]\n";
        let file = ConfigFile::parse(text, &serve()).unwrap();
        let program = file.set_defaults(Command::new("program").subcommand(serve()));
        let parse = |arguments: &[&str]| {
            let matches = program
                .clone()
                .get_matches_from([&["program", "serve"], arguments].concat());
            let serve = matches.subcommand_matches("serve").unwrap();
            let listen = serve.get_one::<String>("listen").unwrap().clone();
            let proxies = serve.get_many::<String>("trusted-proxy").unwrap().cloned();
            (listen, proxies.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(parse(&[]), ("10".to_owned(), "a b".to_owned()));
        let flags = ["--listen", "elsewhere", "--trusted-proxy", "c"];
        assert_eq!(parse(&flags), ("elsewhere".to_owned(), "c".to_owned()));
    }

    #[test]
    fn error_has_the_place_and_the_reason() {
        for (text, offset, message) in [
            ("\nlisten", 7, "key"),
            (
                "\nlisen = 1",
                1,
                "there is no setting `lisen`; the settings are listen, trusted-proxy",
            ),
            ("config = \"x\"", 0, "there is no setting `config`"),
            ("[listen]\na = 1", 0, "not a value of the type table"),
            ("listen = [1]", 9, "not a value of the type array"),
        ] {
            let (found, reason) = ConfigFile::parse(text, &serve()).unwrap_err();
            assert!(reason.contains(message), "{text}: {reason}");
            assert!(found == offset || message == "key", "{text}: {found}");
        }
    }
}
