//! Where the values of options come from, for messages: the option, its environment variable, a profile or the default.

use std::path::PathBuf;

use clap::ArgMatches;
use clap::parser::ValueSource;

/// Where the values of global options come from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    /// The configuration file, whether it exists or not. `None` if there is no home for it.
    pub(crate) file: Option<PathBuf>,
    /// The chosen profile, and the options that it sets.
    pub(crate) profile: Option<(String, Vec<String>)>,
    /// The environment variables of options, by the names of these.
    pub(crate) variables: Vec<(String, String)>,
}

impl Sources {
    /// Where the value of an option comes from, such as `PETS_URL` or `the profile local in /home/ada/.config/…`.
    pub(crate) fn of(&self, matches: &ArgMatches, option: &str) -> String {
        let variable = self.variable(option).unwrap_or(option);
        let is_known = matches.try_contains_id(option).is_ok();
        let source = is_known.then(|| matches.value_source(option)).flatten();
        match source {
            Some(ValueSource::CommandLine) => format!("--{option}"),
            Some(ValueSource::EnvVariable) => variable.to_owned(),
            _ => match (&self.profile, &self.file) {
                (Some((name, options)), Some(file)) if options.iter().any(|it| it == option) => {
                    format!("the profile {name} in {}", file.display())
                }
                _ => "the default".to_owned(),
            },
        }
    }

    /// How to set an option: on the command line, in the environment, or in the configuration file.
    pub(crate) fn ways_to_set(&self, option: &str) -> String {
        let variable = self.variable(option);
        let variable = variable.map(|variable| format!(", {variable}"));
        let variable = variable.unwrap_or_default();
        format!("--{option}{variable}{}", self.in_profile(option))
    }

    /// `, or KEY in a profile in FILE`, with the path of the file.
    pub(crate) fn in_profile(&self, option: &str) -> String {
        match &self.file {
            Some(file) => format!(", or `{option}` in a profile in {}", file.display()),
            None => String::new(),
        }
    }

    fn variable(&self, option: &str) -> Option<&str> {
        let mut variables = self.variables.iter();
        let found = variables.find(|(name, _)| name == option);
        found.map(|(_, variable)| variable.as_str())
    }
}
