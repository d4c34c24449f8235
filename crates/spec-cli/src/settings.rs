//! What the author of a command line chooses: names, and the service that it speaks to.

use crate::profile::Profiles;

/// What a command line is called, and where it finds its settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the program.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What the names of environment variables begin with, such as `PETS`: then `PETS_URL` is the base URL, and
    /// `PETS_API_KEY` the credentials of the security scheme `apiKey`. `PETS_PROFILE` names the profile.
    pub variables: String,
    /// The base URL without `--url` and its variable. Credentials are sent there, so no server of the document is the
    /// default by itself.
    pub default_url: Option<String>,
}

impl Settings {
    /// The profiles, in a folder with the name of the program.
    pub(crate) fn profiles(&self) -> Profiles {
        Profiles {
            folder: self.name.clone(),
            variable: format!("{}_PROFILE", self.variables),
        }
    }

    /// The environment variable with the base URL.
    pub(crate) fn url_variable(&self) -> String {
        spec_model::base_url_variable(&self.variables)
    }
}
