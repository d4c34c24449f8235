//! The settings of a generated client, as its builder collects them, and their environment variables.

use std::env::{self, VarError};
use std::fmt;

use dropspec_schema::SecurityScheme;
use thiserror::Error;

use crate::credentials::Credentials;
use crate::sending::{Sender, check_base_url};

/// The environment variables of a client, as a constant that generated code contains.
#[derive(Clone, Copy, Debug)]
pub struct Variables {
    /// The variable with the base URL.
    pub base_url: &'static str,
    /// The variables with credentials, and how they are sent, by the positions of their security schemes.
    pub credentials: &'static [(&'static str, SecurityScheme<'static>)],
    /// The alternatives of security schemes of the operations that require credentials.
    pub required: &'static [&'static [usize]],
}

/// The settings of a client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the client identifies itself by.
    pub credentials: Credentials,
    /// How it sends requests.
    pub sender: Sender,
    variables: &'static Variables,
    /// The base URL, and what it was set by.
    base_url: Option<(String, &'static str)>,
    /// The first problem of a variable.
    problem: Option<SettingsError>,
}

/// Why no client can be built: what is missing or wrong, and what to set.
#[derive(Clone, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SettingsError(String);

/// The text: what a program prints that ends with the error.
impl fmt::Debug for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Settings {
    /// No settings. The variables are not read.
    pub fn new(variables: &'static Variables) -> Self {
        Self {
            credentials: Credentials::default(),
            sender: Sender::default(),
            variables,
            base_url: None,
            problem: None,
        }
    }

    /// Sets the base URL.
    pub fn set_base_url(&mut self, base_url: impl Into<String>) {
        self.base_url = Some((base_url.into(), "`base_url` of the builder"));
    }

    /// Sets what the environment variables contain. Those that are not set, or are empty, change nothing.
    pub fn read_environment(&mut self) {
        self.read_variables(|name| env::var(name));
    }

    fn read_variables(&mut self, read: impl Fn(&str) -> Result<String, VarError>) {
        let Variables {
            base_url,
            credentials,
            ..
        } = *self.variables;
        if let Some(value) = self.read(&read, base_url, || "the base URL".to_owned()) {
            self.base_url = Some((value, base_url));
        }
        for (position, (variable, scheme)) in credentials.iter().enumerate() {
            let Some(value) = self.read(&read, variable, || scheme.describe()) else {
                continue;
            };
            if *scheme == SecurityScheme::BASIC && !value.contains(':') {
                self.reject(format!(
                    "{variable} has no colon: it is {}",
                    scheme.describe()
                ));
            } else {
                self.credentials.set(position, *scheme, value);
            }
        }
    }

    fn read(
        &mut self,
        read: impl Fn(&str) -> Result<String, VarError>,
        variable: &'static str,
        what: impl Fn() -> String,
    ) -> Option<String> {
        match read(variable) {
            Ok(value) => Some(value).filter(|value| !value.is_empty()),
            Err(VarError::NotPresent) => None,
            Err(VarError::NotUnicode(_)) => {
                let what = what();
                self.reject(format!(
                    "{variable} is not UTF-8; it is {what}: copy it again"
                ));
                None
            }
        }
    }

    fn reject(&mut self, problem: String) {
        self.problem.get_or_insert(SettingsError(problem));
    }

    /// Requires that there are the credentials for some operation that requires any.
    pub fn require_credentials(&mut self) {
        let Variables {
            credentials,
            required,
            ..
        } = *self.variables;
        if !required.is_empty() && self.credentials.choose(required).is_none() {
            let name = |position: usize| {
                let (name, scheme) = credentials[position];
                format!("{name} ({})", scheme.describe())
            };
            let missing = self.credentials.describe_missing(required, name);
            self.reject(format!("there are no credentials: set {missing}"));
        }
    }

    /// Checks the settings, and returns the base URL.
    ///
    /// # Errors
    /// There is no base URL, or a setting is invalid.
    pub fn check(&self) -> Result<String, SettingsError> {
        let Some((base_url, setting)) = &self.base_url else {
            return Err(SettingsError(format!(
                "there is no base URL: set {} to the address of the service, such as http://127.0.0.1:8080, or call `base_url` of the \
                 builder",
                self.variables.base_url
            )));
        };
        let base_url = base_url.trim().trim_end_matches('/');
        let invalid = |reason| SettingsError(format!("{setting}: {reason}"));
        let url = check_base_url(base_url).map_err(invalid)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("the base URL is not valid: it has a user name or a password; remove them: credentials have settings of their own".to_owned()));
        }
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        let unsendable = self.credentials.find_unsendable();
        let unsendable = unsendable.and_then(|it| self.variables.credentials.get(it));
        match unsendable {
            Some((variable, scheme)) => Err(SettingsError(format!(
                "{variable} has characters that a header cannot hold; it is {}: copy it again, without line breaks",
                scheme.describe()
            ))),
            None => Ok(base_url.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    static VARIABLES: Variables = Variables {
        base_url: "A_URL",
        credentials: &[("A_KEY", SecurityScheme::Header("X-Key"))],
        required: &[],
    };

    fn read(settings: &mut Settings, variables: &[(&str, &str)]) {
        settings.read_variables(|name| {
            let mut variables = variables.iter();
            let found = variables.find(|(variable, _)| *variable == name);
            match found {
                Some((_, "not UTF-8")) => Err(VarError::NotUnicode(OsString::new())),
                Some((_, value)) => Ok((*value).to_owned()),
                None => Err(VarError::NotPresent),
            }
        });
    }

    fn check(settings: &Settings) -> String {
        let checked = settings.check();
        checked.unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn variables_replace_earlier_settings_and_empty_ones_do_not() {
        let mut settings = Settings::new(&VARIABLES);
        settings.set_base_url("https://a.example/v1/");
        read(&mut settings, &[("A_URL", "")]);
        assert_eq!(check(&settings), "https://a.example/v1");
        read(&mut settings, &[("A_URL", "http://b.example")]);
        assert_eq!(check(&settings), "http://b.example");
        settings.set_base_url("https://user:secret@a.example");
        let error = check(&settings);
        assert!(error.starts_with("`base_url` of the builder: "), "{error}");
        assert!(!error.contains("secret"), "{error}");
        settings.set_base_url("http://a.example");
        read(&mut settings, &[("A_KEY", "not UTF-8")]);
        let expected = "A_KEY is not UTF-8; it is the key in the header `X-Key`: copy it again";
        assert_eq!(check(&settings), expected);
    }

    #[test]
    fn credentials_that_are_missing_or_have_no_colon_are_named() {
        static WITH_USER: Variables = Variables {
            base_url: "A_URL",
            credentials: &[
                ("A_KEY", SecurityScheme::Header("X-Key")),
                ("A_USER", SecurityScheme::BASIC),
            ],
            required: &[&[0], &[1]],
        };
        for (user, expected) in [
            (
                "",
                "there are no credentials: set A_KEY (the key in the header `X-Key`), or A_USER (user and password, as USER:PASSWORD)",
            ),
            ("ada", "A_USER has no colon: it is user and password"),
            ("ada:secret", "http://b.example"),
        ] {
            let mut settings = Settings::new(&WITH_USER);
            read(
                &mut settings,
                &[("A_URL", "http://b.example"), ("A_USER", user)],
            );
            settings.require_credentials();
            let found = check(&settings);
            assert!(found.starts_with(expected), "{user}: {found}");
        }
    }
}
