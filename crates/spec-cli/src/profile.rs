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
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use toml::{Table, Value};

use crate::failure::Failure;

const OPTION: &str = "profile";
const DEFAULT: &str = "default-profile";
const PROFILES: &str = "profiles";

/// Where the profiles of a program are.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// The folder below `~/.config` (or `XDG_CONFIG_HOME`) with the file `config.toml`.
    pub folder: String,
    /// The environment variable that names the profile.
    pub variable: String,
}

impl Profiles {
    /// The option `--profile`.
    pub fn argument(&self) -> Arg {
        let file = format!("~/.config/{}/config.toml", self.folder);
        Arg::new(OPTION)
            .long(OPTION)
            .value_name("NAME")
            .env(self.variable.clone())
            .help(format!("The profile in {file} that options are taken from"))
    }

    /// The command with the values of the chosen profile as defaults of its global options. `variable` reads the environment.
    ///
    /// # Errors
    /// The chosen profile does not exist, or the file is invalid.
    pub fn apply(
        &self,
        command: Command,
        arguments: &[OsString],
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Command, Failure> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let chosen = chosen_in(arguments).or_else(|| variable(&self.variable));
        let Some(file) = self.file(&variable) else {
            return match chosen {
                Some(name) => Err(Failure::Usage(format!(
                    "there is no profile `{name}`: HOME is not set, so that no configuration file is found"
                ))),
                None => Ok(command),
            };
        };
        let table = match std::fs::read_to_string(&file) {
            Ok(text) => parse(&text).map_err(|reason| in_file(&file, &reason))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Table::new(),
            Err(error) => return Err(in_file(&file, &error.to_string())),
        };
        let profile = choose(&table, chosen).map_err(|reason| in_file(&file, &reason))?;
        set_defaults(command, profile).map_err(|reason| in_file(&file, &reason))
    }

    fn file(&self, variable: &impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let base = variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let base = base.or_else(|| Some(Path::new(&variable("HOME")?).join(".config")))?;
        Some(base.join(&self.folder).join("config.toml"))
    }
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

/// Parses the file. An error names the line but does not quote it, because it may hold a key.
fn parse(text: &str) -> Result<Table, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = 1 + text
            .bytes()
            .take(start)
            .filter(|byte| *byte == b'\n')
            .count();
        format!("line {line}: {}", error.message())
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

/// The options of the chosen profile, or else of the default one.
fn choose(table: &Table, chosen: Option<String>) -> Result<Table, String> {
    let none = Table::new();
    let profiles = table.get(PROFILES).and_then(Value::as_table);
    let profiles = profiles.unwrap_or(&none);
    let default = table.get(DEFAULT).and_then(Value::as_str);
    let Some(name) = chosen.or(default.map(str::to_owned)) else {
        return Ok(none);
    };
    match profiles.get(&name) {
        Some(Value::Table(profile)) => Ok(profile.clone()),
        Some(_) => Err(format!("`{PROFILES}.{name}` is no table of options")),
        None => {
            let names: Vec<&str> = profiles.keys().map(String::as_str).collect();
            let known = match names.is_empty() {
                true => "there is none".to_owned(),
                false => format!("there are: {}", names.join(", ")),
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FILE: &str = "default-profile = \"local\"\n[profiles.local]\nurl = \"http://a\"\nkey = \"secret\"\n[profiles.shop]\nurl = \"http://b\"\n";

    /// The URL, or the error, of a command line with this configuration file.
    fn url(
        file: &str,
        arguments: &[&str],
        profile_variable: Option<&str>,
    ) -> Result<String, String> {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/pets");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), file).unwrap();
        let profiles = Profiles {
            folder: "pets".to_owned(),
            variable: "SPEC_CLI_TEST_PROFILE".to_owned(),
        };
        let command = Command::new("pets")
            .arg(
                Arg::new("url")
                    .long("url")
                    .global(true)
                    .default_value("http://none"),
            )
            .arg(
                Arg::new("key")
                    .long("key")
                    .global(true)
                    .hide_env_values(true),
            )
            .arg(profiles.argument().global(true));
        let arguments: Vec<OsString> = ["pets"]
            .iter()
            .chain(arguments)
            .map(OsString::from)
            .collect();
        let variable = |name: &str| match name {
            "HOME" => home.path().to_str().map(str::to_owned),
            "SPEC_CLI_TEST_PROFILE" => profile_variable.map(str::to_owned),
            _ => None,
        };
        let command = profiles.apply(command, &arguments, variable);
        let command = command.map_err(|failure| failure.to_string())?;
        let matches = command.try_get_matches_from(arguments).unwrap();
        Ok(matches.get_one::<String>("url").unwrap().clone())
    }

    #[test]
    fn option_comes_before_profile_and_profile_before_default() {
        assert_eq!(url("", &[], None).unwrap(), "http://none");
        assert_eq!(url(FILE, &[], None).unwrap(), "http://a");
        assert_eq!(url(FILE, &[], Some("shop")).unwrap(), "http://b");
        assert_eq!(
            url(FILE, &["--profile", "local"], Some("shop")).unwrap(),
            "http://a"
        );
        assert_eq!(
            url(FILE, &["--profile=shop", "--url", "http://c"], None).unwrap(),
            "http://c"
        );
    }

    #[test]
    fn mistakes_name_file_and_remedy_and_no_key() {
        let cases = [
            (
                FILE,
                "toys",
                "there is no profile `toys`; there are: local, shop",
            ),
            ("", "toys", "there is no profile `toys`; there is none"),
            (
                "[profiles.a]\nkye = \"secret\"",
                "a",
                "a profile has no option `kye`; it has: url, key",
            ),
            (
                "[profiles.a]\nkey = [1]",
                "a",
                "the value of `key` is neither a text nor a whole number",
            ),
            (
                "url = \"secret\"",
                "a",
                "unknown key `url`: write options into a profile",
            ),
            ("\n\nkey = secret", "a", "line 3"),
        ];
        for (file, profile, expected) in cases {
            let error = url(file, &["--profile", profile], None).unwrap_err();
            assert!(
                error.contains(expected) && error.contains("config.toml: "),
                "{error}"
            );
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn help_shows_no_key_of_a_profile() {
        let table = parse(FILE).unwrap();
        let command = Command::new("pets")
            .arg(Arg::new("url").long("url").global(true))
            .arg(
                Arg::new("key")
                    .long("key")
                    .global(true)
                    .hide_env_values(true),
            );
        let mut command = set_defaults(command, choose(&table, None).unwrap()).unwrap();
        let help = command.render_long_help().to_string();
        assert!(
            help.contains("http://a") && !help.contains("secret"),
            "{help}"
        );
    }
}
