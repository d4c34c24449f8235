//! A command as it was given: the values of its options, and where they come from.

use clap::ArgMatches;
use spec_client::{BaseUrlError, check_base_url};

use crate::document::Interface;
use crate::failure::Failure;
use crate::format::Format;
use crate::operation::Operation;
use crate::service_error::RequestPlace;
use crate::sources::Sources;

/// A command as it was given.
#[derive(Debug)]
pub(crate) struct Invocation<'a> {
    pub(crate) interface: &'a Interface,
    pub(crate) matches: &'a ArgMatches,
    pub(crate) sources: &'a Sources,
}

impl<'a> Invocation<'a> {
    /// The text of an option, which the command need not have.
    pub(crate) fn text(&self, option: &str) -> Option<&'a str> {
        let text = self.matches.try_get_one::<String>(option).ok().flatten();
        text.map(String::as_str)
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

    pub(crate) fn format(&self) -> Format {
        let format = self.matches.get_one::<Format>("output").copied();
        format.unwrap_or(Format::Table)
    }

    /// The base URL of the service.
    ///
    /// # Errors
    /// It is missing, or no path can be appended to it.
    pub(crate) fn base_url(&self) -> Result<String, Failure> {
        let Some(url) = self.text("url") else {
            let ways = self.sources.ways_to_set("url");
            return Err(Failure::Usage(format!(
                "the base URL is missing: use {ways}"
            )));
        };
        match check_base_url(url) {
            // A proxy may want a user and a password.
            Ok(()) | Err(BaseUrlError::UserInfo) => Ok(url.to_owned()),
            Err(error) => {
                let source = self.sources.of(self.matches, "url");
                Err(Failure::Usage(format!("{error} (it is from {source})")))
            }
        }
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
