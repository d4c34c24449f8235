//! Builds a [`Client`] from settings and environment variables, or from another client. Its operations are generated.

use std::sync::Arc;
use std::time::Duration;

use dropspec_client::sending::build_http_client;
use dropspec_client::{
    Clock, Exchange, Hooks, RetryEvent, RetryPolicy, SecurityScheme, Sender, Settings,
    SettingsError, Variables,
};
use reqwest::redirect::Policy;

use crate::Client;
use crate::operation_table::OPERATIONS;

/// The base URL without settings: where `petstore serve` listens by default.
const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";

/// The position of the API key among the security schemes.
const API_KEY: usize = 0;
const API_KEY_HEADER: SecurityScheme = SecurityScheme::Header("X-API-Key");

static VARIABLES: Variables = Variables {
    base_url: "PETSTORE_URL",
    credentials: &[("PETSTORE_API_KEY", API_KEY_HEADER)],
    required: &[&[API_KEY]],
};

impl Client {
    /// A client for the service at `base_url`, such as `https://pets.example.com`, that sends this API key with every
    /// request and retries by [`RetryPolicy::default`]. Clones are cheap and share connections and backoff.
    ///
    /// # Errors
    ///
    /// The key has characters that a header cannot hold, or the base URL is without `http://` or `https://`, without a host,
    /// or with a user name, a query or a fragment.
    pub fn connect(base_url: &str, api_key: &str) -> Result<Self, SettingsError> {
        Self::builder().base_url(base_url).api_key(api_key).build()
    }

    /// A client for the service at `PETSTORE_URL` (default: `http://127.0.0.1:8080`) with the key in `PETSTORE_API_KEY`, the
    /// environment variables that the command line reads as well.
    ///
    /// # Errors
    ///
    /// There is no key, or a value is invalid.
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::builder().env().build()
    }

    /// Settings from which a client is built.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// This client with another retry policy, for one call or for many; [`RetryPolicy::off`] disables retries. It shares
    /// connections and backoff with this one, and its limit of requests in flight if that is the same.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// use petstore_client::RetryPolicy;
    ///
    /// client.with_retries(RetryPolicy::off()).list_pets().send().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_retries(&self, policy: RetryPolicy) -> Self {
        self.with_sender(|sender| sender.set_policy(policy))
    }

    /// This client with a function that is called before each wait of a call, to log or show why it takes long. It must not
    /// block.
    #[must_use]
    pub fn with_observer(&self, observer: impl Fn(&RetryEvent) + Send + Sync + 'static) -> Self {
        self.with_sender(|sender| sender.set_observer(Arc::new(observer)))
    }

    /// This client with a function that sees each attempt of a call with its response, to log or show it. It must not block.
    #[must_use]
    pub fn with_exchange_observer(
        &self,
        observer: impl Fn(&Exchange<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.with_sender(|sender| sender.set_exchange_observer(Arc::new(observer)))
    }

    /// This client with another clock that measures deadlines and waits for retries, for tests.
    #[must_use]
    pub fn with_clock(&self, clock: impl Clock + 'static) -> Self {
        self.with_sender(|sender| sender.set_clock(Arc::new(clock)))
    }

    fn with_sender(&self, set: impl FnOnce(&mut Sender)) -> Self {
        let mut client = self.clone();
        set(&mut client.inner.sender);
        client
    }
}

/// The settings of a client.
///
/// ```
/// use petstore_client::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("https://pets.example.com")
///     .api_key("pst_…")
///     .retries(RetryPolicy::off())
///     .build()?;
/// # Ok::<(), petstore_client::SettingsError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientBuilder {
    settings: Settings,
    http: Option<reqwest::Client>,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        let mut settings = Settings::new(&VARIABLES);
        settings.set_base_url(DEFAULT_BASE_URL);
        Self {
            settings,
            http: None,
        }
    }
}

impl ClientBuilder {
    /// The address of the service. Default: `http://127.0.0.1:8080`.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.settings.set_base_url(base_url);
        self
    }

    /// The API key, which is required.
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.settings
            .credentials
            .set(API_KEY, API_KEY_HEADER, api_key);
        self
    }

    /// An HTTP client of your own (proxy, certificates, user agent). The retry policy's timeouts replace its timeouts. Disable
    /// redirects in it: they could send the API key to another host.
    pub fn http_client(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// The retry policy. Default: [`RetryPolicy::default`].
    pub fn retries(mut self, policy: RetryPolicy) -> Self {
        self.settings.sender.set_policy(policy);
        self
    }

    /// Sets base URL and key to the values of `PETSTORE_URL` and `PETSTORE_API_KEY`, where they are set.
    pub fn env(mut self) -> Self {
        self.settings.read_environment();
        self
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// There is no API key, or the key or the base URL is invalid.
    pub fn build(mut self) -> Result<Client, SettingsError> {
        self.settings.require_credentials();
        let base_url = self.settings.check()?;
        let http = self.http.unwrap_or_else(|| {
            build_http_client(|| {
                reqwest::Client::builder()
                    .user_agent(concat!("petstore-client/", env!("CARGO_PKG_VERSION")))
                    .connect_timeout(Duration::from_secs(5))
                    // A redirect could send the API key to another host. No operation answers with one.
                    .redirect(Policy::none())
            })
        });
        let hooks = Hooks::new(self.settings, OPERATIONS);
        Ok(Client::new_with_client(&base_url, http, hooks))
    }
}
