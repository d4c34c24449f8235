//! What the author of a command line chooses: names, and the service that it speaks to.

/// What a command line is called, and where it finds its settings.
#[derive(Debug, Clone, Default)]
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
    /// The folder below `~/.config` with the file of the profiles. Without it, it has the name of the program.
    pub config_folder: Option<String>,
    /// The option for the credentials, such as `key`, if the document has one security scheme. Without it, it is named by
    /// the scheme: `auth-api-key`.
    pub credential_option: Option<String>,
    /// The names of properties whose integers are Unix seconds. Tables show them as times.
    pub unix_seconds: Vec<String>,
}

impl Settings {
    /// The file of the profiles, below the folder for configuration.
    pub(crate) fn profile_file(&self) -> String {
        let folder = self.config_folder.as_ref().unwrap_or(&self.name);
        format!("{folder}/config.toml")
    }

    /// The environment variable that names the profile.
    pub(crate) fn profile_variable(&self) -> String {
        format!("{}_PROFILE", self.variables)
    }

    /// The environment variable that names the file of trusted certificates.
    pub(crate) fn cacert_variable(&self) -> String {
        format!("{}_CACERT", self.variables)
    }

    /// The environment variable with the base URL.
    pub(crate) fn url_variable(&self) -> String {
        dropspec_model::base_url_variable(&self.variables)
    }
}
