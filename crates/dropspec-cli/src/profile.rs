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

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use serde::Deserialize;

use crate::console::Failure;
use crate::options::PROFILE;
use crate::settings::Settings;

/// The chosen profile.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    /// The configuration file, whether it exists or not. `None` if there is no home for it.
    file: Option<PathBuf>,
    name: String,
    options: Options,
    /// A line about the file: others can read the keys in it.
    pub(crate) warning: Option<String>,
}

type Options = BTreeMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    default_profile: Option<String>,
    #[serde(default)]
    profiles: BTreeMap<String, toml::Table>,
}

/// The option `--profile`.
pub(crate) fn argument(settings: &Settings) -> Arg {
    let file = settings.profile_file();
    Arg::new(PROFILE)
        .long(PROFILE)
        .value_name("NAME")
        .env(settings.profile_variable())
        .help(format!(
            "The profile in ~/.config/{file} that options are taken from"
        ))
}

impl Profile {
    /// Reads the profile that is chosen, or else the default one. `command` has the options that a profile may set; `variable` reads
    /// the environment.
    pub(crate) fn read(
        settings: &Settings,
        command: &Command,
        chosen: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Profile, Failure> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let folder = folder.or_else(|| Some(Path::new(&variable("HOME")?).join(".config")));
        let Some(path) = folder.map(|folder| folder.join(settings.profile_file())) else {
            return match chosen {
                Some(name) => Err(Failure::Usage(format!(
                    "there is no profile `{name}`: HOME is not set, so that no configuration file is found"
                ))),
                None => Ok(Profile::default()),
            };
        };
        let in_file = |reason: String| Failure::Usage(format!("{}: {reason}", path.display()));
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| in_file(format!("cannot be read: {error}")))?,
        };
        let mut file = parse(&text).map_err(in_file)?;
        let warning = holds_secret(command, &file) && others_can_read(&path);
        let warning = warning.then(|| {
            let path = path.display();
            format!(
                "warning: others can read the keys in {path}; make it yours alone: chmod 600 {path}"
            )
        });
        let name = chosen.map(str::to_owned).or(file.default_profile.take());
        let options = match &name {
            None => Options::new(),
            Some(name) => find(&mut file, name, command).map_err(in_file)?,
        };
        Ok(Profile {
            file: Some(path),
            name: name.unwrap_or_default(),
            options,
            warning,
        })
    }

    /// The value of an option.
    pub(crate) fn get(&self, option: &str) -> Option<&str> {
        self.options.get(option).map(String::as_str)
    }

    /// Where its values come from, such as `the profile local in /home/ada/.config/…`.
    pub(crate) fn describe(&self) -> String {
        let file = self.file.as_deref().unwrap_or(Path::new(""));
        format!("the profile {} in {}", self.name, file.display())
    }

    /// `, or OPTION in a profile in FILE`, with the path of the file.
    pub(crate) fn way_to_set(&self, option: &str) -> String {
        match &self.file {
            Some(file) => format!(", or `{option}` in a profile in {}", file.display()),
            None => String::new(),
        }
    }
}

/// Parses the file. An error names line and column but does not quote them, because the file may hold a key.
fn parse(text: &str) -> Result<File, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        let reason = error.message().replace('\n', ", ");
        format!("line {line}, column {column}: {reason}")
    })
}

/// The options of a profile.
fn find(file: &mut File, name: &str, command: &Command) -> Result<Options, String> {
    let Some(found) = file.profiles.remove(name) else {
        let names: Vec<&str> = file.profiles.keys().map(String::as_str).collect();
        let known = match names.as_slice() {
            [] => "there is none".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        return Err(format!("there is no profile `{name}`; {known}"));
    };
    let options = command.get_arguments().filter(|argument| {
        matches!(argument.get_action(), ArgAction::Set)
            && argument.is_global_set()
            && argument.get_id() != PROFILE
    });
    let known: Vec<&str> = options.map(|it| it.get_id().as_str()).collect();
    let read = |(option, value): (String, toml::Value)| match value {
        _ if !known.contains(&option.as_str()) => Err(format!(
            "a profile has no option `{option}`; it has: {}",
            known.join(", ")
        )),
        toml::Value::String(text) => Ok((option, text)),
        toml::Value::Integer(number) => Ok((option, number.to_string())),
        _ => Err(format!(
            "the value of `{option}` is neither a text nor a whole number"
        )),
    };
    found.into_iter().map(read).collect()
}

/// Whether any profile sets an option whose value is secret.
fn holds_secret(command: &Command, file: &File) -> bool {
    let mut secret = command
        .get_arguments()
        .filter(|option| option.is_hide_env_values_set());
    secret.any(|option| {
        let mut profiles = file.profiles.values();
        profiles.any(|options| options.contains_key(option.get_id().as_str()))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The URL in the profile, or the error.
    fn url(text: &str, chosen: Option<&str>) -> Result<Option<String>, String> {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("pets")).unwrap();
        std::fs::write(home.path().join("pets/config.toml"), text).unwrap();
        let settings = Settings {
            name: "pets".to_owned(),
            ..Settings::default()
        };
        let option = |name: &'static str| Arg::new(name).long(name).global(true);
        let command = Command::new("pets").args(["url", "key"].map(option));
        let variable = |name: &str| match name {
            "XDG_CONFIG_HOME" => home.path().to_str().map(str::to_owned),
            _ => None,
        };
        let profile = Profile::read(&settings, &command, chosen, variable);
        let profile = profile.map_err(|failure| failure.to_string())?;
        Ok(profile.get("url").map(str::to_owned))
    }

    #[test]
    fn chosen_profile_comes_before_the_default_one() {
        let file = "default-profile = \"local\"\n[profiles.local]\nurl = \"a\"\n[profiles.shop]\nurl = 7\n";
        assert_eq!(url("", None), Ok(None));
        assert_eq!(url(file, None), Ok(Some("a".to_owned())));
        assert_eq!(url(file, Some("shop")), Ok(Some("7".to_owned())));
    }

    #[cfg(unix)]
    #[test]
    fn file_that_the_group_can_read_is_open_to_others() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, expected) in [(0o700, false), (0o740, true), (0o704, true)] {
            let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
            std::fs::set_permissions(folder.path(), permissions).unwrap();
            assert_eq!(others_can_read(folder.path()), expected, "{mode:o}");
        }
    }

    #[test]
    fn mistakes_name_file_and_remedy_and_no_key() {
        for (file, expected) in [
            ("", "there is no profile `a`; there is none"),
            (
                "[profiles.b]\n[profiles.c]",
                "there is no profile `a`; there are: b, c",
            ),
            (
                "[profiles.a]\nkye = \"secret\"",
                "a profile has no option `kye`; it has: url, key",
            ),
            (
                "[profiles.a]\nkey = [1]",
                "the value of `key` is neither a text nor a whole number",
            ),
            ("url = \"secret\"", "unknown field `url`"),
            ("\n\nkey = secret", "line 3, column 7"),
        ] {
            let error = url(file, Some("a")).unwrap_err();
            assert!(
                error.contains(expected) && error.contains("config.toml: "),
                "{error}"
            );
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
