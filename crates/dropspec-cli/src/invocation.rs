//! A command as it was given: the values of its options, and where they come from.

use std::str::FromStr;

use clap::ArgMatches;
use clap::parser::ValueSource;
use dropspec_client::check_base_url;

use crate::console::Failure;
use crate::document::Interface;
use crate::format::Format;
use crate::operation::Operation;
use crate::options::{CACERT, OUTPUT};
use crate::profile::Profile;
use crate::service_error::RequestPlace;

/// A command as it was given.
pub(crate) struct Invocation<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) matches: &'a ArgMatches,
    pub(crate) profile: &'a Profile,
}

impl<'a> Invocation<'a> {
    /// The text of an option, which the command need not have.
    pub(crate) fn text(&self, option: &str) -> Option<&'a str> {
        let text = self.matches.try_get_one::<String>(option).ok().flatten();
        self.of_profile(option).or(text.map(String::as_str))
    }

    /// The value of an option that has a default.
    pub(crate) fn value<T>(&self, option: &str) -> Result<T, Failure>
    where
        T: FromStr + Clone + Default + Send + Sync + 'static,
    {
        match self.of_profile(option) {
            None => {
                let value = self.matches.try_get_one::<T>(option).ok().flatten();
                Ok(value.cloned().unwrap_or_default())
            }
            Some(text) => text.parse().map_err(|_| {
                let profile = self.profile.describe();
                Failure::Usage(format!("{text:?} is no value of `{option}` ({profile})"))
            }),
        }
    }

    /// The value that the profile has for an option that is not set otherwise.
    fn of_profile(&self, option: &str) -> Option<&'a str> {
        let value = self.profile.get(option)?;
        let is_set = matches!(
            self.source(option),
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        );
        (!is_set).then_some(value)
    }

    fn source(&self, option: &str) -> Option<ValueSource> {
        let is_known = self.matches.try_contains_id(option).is_ok();
        is_known.then(|| self.matches.value_source(option))?
    }

    /// Whether a switch is on. The command need not have it.
    pub(crate) fn is_on(&self, switch: &str) -> bool {
        let value = self.matches.try_get_one::<bool>(switch).ok().flatten();
        value.copied().unwrap_or_default()
    }

    /// Whether an argument has a value. The command need not have it.
    pub(crate) fn is_given(&self, argument: &str) -> bool {
        self.matches.try_contains_id(argument).unwrap_or(false)
    }

    pub(crate) fn format(&self) -> Result<Format, Failure> {
        self.value(OUTPUT)
    }

    /// The base URL of the service.
    pub(crate) fn base_url(&self) -> Result<String, Failure> {
        let Some(url) = self.text("url") else {
            return Err(Failure::Usage(format!(
                "the base URL is missing: use --url, {}{}",
                self.interface.settings.url_variable(),
                self.profile.way_to_set("url")
            )));
        };
        // A proxy may want a user and a password.
        match check_base_url(url) {
            Ok(_) => Ok(url.to_owned()),
            Err(error) => Err(Failure::Usage(format!(
                "{error} (it is from {})",
                self.url_source()
            ))),
        }
    }

    /// Where the base URL comes from: the option, its environment variable, the profile, or the default.
    pub(crate) fn url_source(&self) -> String {
        self.source_of("url", self.interface.settings.url_variable())
    }

    /// Where the value of an option with this environment variable comes from.
    fn source_of(&self, option: &str, variable: String) -> String {
        match self.source(option) {
            Some(ValueSource::CommandLine) => format!("--{option}"),
            Some(ValueSource::EnvVariable) => variable,
            _ if self.profile.get(option).is_some() => self.profile.describe(),
            _ => "the default".to_owned(),
        }
    }

    /// The file of the certificates to trust instead of those of this machine, if one is named, and where its name comes from.
    pub(crate) fn cacert(&self) -> Option<(&'a str, String)> {
        let path = self.text(CACERT).filter(|path| !path.is_empty())?;
        let variable = self.interface.settings.cacert_variable();
        Some((path, self.source_of(CACERT, variable)))
    }

    /// The argument for a place in the request: the one that was given, or else the option for it. `None` if the place is in a
    /// whole body.
    pub(crate) fn argument_for(
        &self,
        operation: &Operation,
        place: RequestPlace<'_>,
    ) -> Option<String> {
        let (RequestPlace::Property(name) | RequestPlace::Parameter(name)) = place;
        let is_property = matches!(place, RequestPlace::Property(_));
        let mut flags = operation.flags.iter();
        let flag = flags.find(|flag| flag.is_of_body() == is_property && flag.name == name)?;
        let has_body = self.is_given("body") || self.is_given("body-file");
        match flag.position().filter(|position| self.is_given(position)) {
            Some(position) => Some(format!("<{position}>")),
            None if is_property && has_body && !self.is_given(&flag.flag) => None,
            None => Some(format!("--{}", flag.flag)),
        }
    }
}
