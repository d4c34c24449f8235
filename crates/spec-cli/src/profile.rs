//! Profiles: named defaults of options in a configuration file, such as
//!
//! ```toml
//! default-profile = "local"
//!
//! [profiles.local]
//! url = "http://127.0.0.1:8080"
//! key = "…"
//! output = "json"
//! ```
//!
//! An option on the command line comes first, then its environment variable, then the profile.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use toml::{Table, Value};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::sources::Sources;

const OPTION: &str = "profile";
const DEFAULT: &str = "default-profile";
const PROFILES: &str = "profiles";

/// A command with the values of a profile.
#[derive(Debug)]
pub(crate) struct Applied {
    /// The command, with the values as defaults of its global options.
    pub(crate) command: Command,
    /// Where values come from.
    pub(crate) sources: Sources,
    /// A line about the file, such as that others can read the keys in it.
    pub(crate) warning: Option<String>,
}

/// The option `--profile`.
pub(crate) fn argument(settings: &Settings) -> Arg {
    let file = settings.profile_file();
    Arg::new(OPTION)
        .long(OPTION)
        .value_name("NAME")
        .env(settings.profile_variable())
        .help(format!(
            "The profile in ~/.config/{file} that options are taken from"
        ))
}

/// The command with the values of the chosen profile as defaults of its global options. `variable` reads the environment.
///
/// # Errors
/// The chosen profile does not exist, or the file is invalid.
pub(crate) fn apply(
    settings: &Settings,
    command: Command,
    arguments: &[OsString],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Applied, Failure> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let chosen = chosen_in(arguments).or_else(|| variable(&settings.profile_variable()));
    let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(Path::new(&variable("HOME")?).join(".config")));
    let mut sources = Sources {
        file: folder.map(|folder| folder.join(settings.profile_file())),
        profile: None,
        variables: variables_of(&command),
    };
    let Some(file) = sources.file.clone() else {
        return match chosen {
            Some(name) => Err(Failure::Usage(format!(
                "there is no profile `{name}`: HOME is not set, so that no configuration file is found"
            ))),
            None => Ok(Applied {
                command,
                sources,
                warning: None,
            }),
        };
    };
    let table = read(&file, chosen.as_deref())?;
    let others_read = holds_secret(&command, &table) && others_can_read(&file);
    let warning = others_read.then(|| {
        format!(
            "warning: others can read the keys in {0}; make it yours alone: chmod 600 {0}",
            file.display()
        )
    });
    let chosen = find_profile(&table, chosen).map_err(|reason| in_file(&file, &reason))?;
    let profile = chosen.as_ref().map(|(_, profile)| profile.clone());
    sources.profile = chosen.map(|(name, profile)| (name, profile.keys().cloned().collect()));
    let command = set_defaults(command, profile.unwrap_or_default());
    Ok(Applied {
        command: command.map_err(|reason| in_file(&file, &reason))?,
        sources,
        warning,
    })
}

/// The content of the file. It need not exist if no profile is chosen.
fn read(file: &Path, chosen: Option<&str>) -> Result<Table, Failure> {
    match (std::fs::read_to_string(file), chosen) {
        (Ok(text), _) => parse(&text).map_err(|reason| in_file(file, &reason)),
        (Err(error), None) if error.kind() == ErrorKind::NotFound => Ok(Table::new()),
        (Err(error), Some(name)) if error.kind() == ErrorKind::NotFound => {
            Err(Failure::Usage(format!(
                "there is no profile `{name}`: {} does not exist; write `[{PROFILES}.{name}]` and its options into it",
                file.display()
            )))
        }
        (Err(error), _) => Err(in_file(file, &format!("cannot be read: {error}"))),
    }
}

/// The environment variables of the global options.
fn variables_of(command: &Command) -> Vec<(String, String)> {
    let with_variable = command.get_arguments().filter_map(|option| {
        let variable = option.get_env()?.to_str()?;
        Some((option.get_id().to_string(), variable.to_owned()))
    });
    with_variable.collect()
}

/// Whether any profile sets an option whose value is secret.
fn holds_secret(command: &Command, table: &Table) -> bool {
    let secret = command
        .get_arguments()
        .filter(|option| option.is_hide_env_values_set());
    let secret: Vec<&str> = secret.map(|option| option.get_id().as_str()).collect();
    let profiles = table.get(PROFILES).and_then(Value::as_table);
    let mut profiles = profiles.into_iter().flatten();
    profiles.any(|(_, profile)| {
        let mut options = profile.as_table().into_iter().flat_map(Table::keys);
        options.any(|option| secret.contains(&option.as_str()))
    })
}

/// Whether users other than the owner of a file can read it.
#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(file);
    metadata.is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_: &Path) -> bool {
    false
}

fn in_file(file: &Path, reason: &str) -> Failure {
    Failure::Usage(format!("{}: {reason}", file.display()))
}

/// The value of `--profile`, before the command line is parsed.
fn chosen_in(arguments: &[OsString]) -> Option<String> {
    let mut arguments = arguments.iter().filter_map(|argument| argument.to_str());
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--profile") {
            Some("") => return arguments.next().map(str::to_owned),
            Some(rest) if rest.starts_with('=') => return Some(rest[1..].to_owned()),
            _ if argument == "--" => return None,
            _ => {}
        }
    }
    None
}

/// Parses the file. An error names line and column but does not quote them, because the file may hold a key.
fn parse(text: &str) -> Result<Table, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        let reason = error.message().replace('\n', ", ");
        format!("line {line}, column {column}: {reason}")
    })?;
    match table
        .keys()
        .find(|key| ![DEFAULT, PROFILES].contains(&key.as_str()))
    {
        Some(key) => Err(format!(
            "unknown key `{key}`: write options into a profile, such as [{PROFILES}.local]"
        )),
        None => Ok(table),
    }
}

/// The name and the options of the chosen profile, or else of the default one.
fn find_profile(table: &Table, chosen: Option<String>) -> Result<Option<(String, Table)>, String> {
    let none = Table::new();
    let profiles = table.get(PROFILES).and_then(Value::as_table);
    let profiles = profiles.unwrap_or(&none);
    let default = table.get(DEFAULT).and_then(Value::as_str);
    let Some(name) = chosen.or(default.map(str::to_owned)) else {
        return Ok(None);
    };
    match profiles.get(&name) {
        Some(Value::Table(profile)) => Ok(Some((name, profile.clone()))),
        Some(_) => Err(format!("`{PROFILES}.{name}` is not a table of options")),
        None => {
            let names: Vec<&str> = profiles.keys().map(String::as_str).collect();
            let known = if names.is_empty() {
                "there is none".to_owned()
            } else {
                format!("there are: {}", names.join(", "))
            };
            Err(format!("there is no profile `{name}`; {known}"))
        }
    }
}

/// Makes the values of a profile the defaults of the global options.
fn set_defaults(mut command: Command, profile: Table) -> Result<Command, String> {
    let options = command.get_arguments().filter(|argument| {
        let takes_value = matches!(argument.get_action(), ArgAction::Set);
        takes_value && argument.is_global_set() && argument.get_id() != OPTION
    });
    let options: Vec<String> = options
        .map(|argument| argument.get_id().to_string())
        .collect();
    for (name, value) in profile {
        let Some(option) = options.iter().find(|option| **option == name) else {
            let known = options.join(", ");
            return Err(format!("a profile has no option `{name}`; it has: {known}"));
        };
        let value = match value {
            Value::String(text) => text,
            Value::Integer(number) => number.to_string(),
            _ => {
                return Err(format!(
                    "the value of `{name}` is neither a text nor a whole number"
                ));
            }
        };
        command = command.mut_arg(option, |argument| {
            let is_secret = argument.is_hide_env_values_set();
            argument.default_value(value).hide_default_value(is_secret)
        });
    }
    Ok(command)
}

#[cfg(test)]
mod tests;
