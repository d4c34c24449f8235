//! Builds a [`Client`] from settings, and reads them from environment variables.

use std::sync::Arc;

use spec_transport::Observer;

use crate::connect::DEFAULT_BASE_URL;
use crate::{CallError, Client, Clock, RetryEvent, RetryPolicy};

/// The environment variable with the base URL of the service.
const URL_VARIABLE: &str = "PETSTORE_URL";
/// The environment variable with the API key.
const KEY_VARIABLE: &str = "PETSTORE_API_KEY";

/// The settings of a client. Unlike [`Client::new`], [`build`](ClientBuilder::build) checks them at once.
///
/// ```
/// use petstore_client::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("https://pets.example.com")
///     .api_key("pst_…")
///     .retries(RetryPolicy::off())
///     .build()?;
/// # Ok::<(), petstore_client::CallError>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct ClientBuilder {
    base_url: Option<String>,
    api_key: Option<String>,
    http: Option<reqwest::Client>,
    policy: Option<RetryPolicy>,
    clock: Option<Arc<dyn Clock>>,
    observer: Option<Observer>,
}

impl ClientBuilder {
    /// The address of the service. Default: `http://127.0.0.1:8080`.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The API key, which is required.
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// An HTTP client of your own; see [`Client::with_http_client`].
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// The retry policy. Default: [`RetryPolicy::default`].
    pub fn retries(mut self, policy: RetryPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// The function that sees each wait; see [`Client::with_observer`].
    pub fn observer(mut self, observer: impl Fn(&RetryEvent) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The clock that measures deadlines and waits for retries, for tests.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Sets base URL and key to the values of `PETSTORE_URL` and `PETSTORE_API_KEY`, where they are set.
    pub fn env(self) -> Self {
        self.variables(|name| std::env::var(name).ok())
    }

    fn variables(mut self, read: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name| read(name).filter(|value| !value.is_empty());
        self.base_url = read(URL_VARIABLE).or(self.base_url);
        self.api_key = read(KEY_VARIABLE).or(self.api_key);
        self
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::Error::InvalidRequest): there is no API key, or the key or the base URL is invalid.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error of every generated method"
    )]
    pub fn build(self) -> Result<Client, CallError> {
        let api_key = self.api_key.ok_or_else(|| {
            CallError::InvalidRequest(format!(
                "there is no API key: set {KEY_VARIABLE}, or call `api_key` of the builder"
            ))
        })?;
        let base_url = self.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL);
        let mut client = match self.http {
            Some(http) => Client::with_http_client(base_url, &api_key, http),
            None => Client::new(base_url, &api_key),
        };
        if let Some(reason) = client.inner.problem() {
            return Err(CallError::InvalidRequest(reason.to_owned()));
        }
        if let Some(policy) = self.policy {
            client.inner.sender.set_policy(policy);
        }
        if let Some(clock) = self.clock {
            client.inner.sender.set_clock(clock);
        }
        if let Some(observer) = self.observer {
            client.inner.sender.set_observer(observer);
        }
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use progenitor_client::ClientInfo;

    fn from_variables(variables: &[(&str, &str)]) -> Result<Client, String> {
        let read = |name: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let built = Client::builder().variables(read).build();
        built.map_err(|error| error.to_string())
    }

    #[test]
    fn reads_url_and_key_from_variables() {
        let both = [
            ("PETSTORE_URL", "https://pets.test/"),
            ("PETSTORE_API_KEY", "k"),
        ];
        assert_eq!(
            from_variables(&both).unwrap().baseurl(),
            "https://pets.test"
        );
        let only_key = from_variables(&both[1..]).expect("a client");
        assert_eq!(only_key.baseurl(), "http://127.0.0.1:8080");
    }

    #[test]
    fn reports_missing_key_and_invalid_settings_at_once() {
        let cases = [
            (vec![], "set PETSTORE_API_KEY"),
            (vec![("PETSTORE_API_KEY", "")], "set PETSTORE_API_KEY"),
            (vec![("PETSTORE_API_KEY", "a\nb")], "the API key contains"),
            (
                vec![("PETSTORE_URL", "localhost:80"), ("PETSTORE_API_KEY", "k")],
                "has no scheme",
            ),
        ];
        for (variables, expected) in cases {
            let error = from_variables(&variables).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
    }
}
