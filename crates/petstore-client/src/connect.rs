//! Constructors of [`Client`], and clients with other settings. Its operations are generated.

use std::sync::Arc;

use reqwest::header::HeaderValue;

use crate::clock::Clock;
use crate::retry::RetryPolicy;
use crate::{CallError, Client, ClientBuilder, Exchange, RetryEvent, Transport};

/// The base URL without settings: where `petstore serve` listens by default.
pub(crate) const DEFAULT_BASE_URL: &str = "http://127.0.0.1:8080";

impl Client {
    /// A client for the service at `base_url`, such as `https://pets.example.com`, that sends this API key with every
    /// request and retries by [`RetryPolicy::default`]. Clones are cheap and share connections and backoff.
    ///
    /// An invalid key or base URL is reported by each call, not here, as `Error::InvalidRequest`: a key with characters
    /// that a header cannot hold, or a base URL without `http://` or `https://`, without a host, or with a user name, a
    /// query or a fragment.
    pub fn new(base_url: &str, api_key: &str) -> Self {
        Self::with_http_client(base_url, api_key, default_http_client())
    }

    /// Like [`Client::new`], with an HTTP client of your own (proxy, certificates, user agent). The retry policy's
    /// timeouts replace its timeouts. Disable redirects in it: they could send the API key to another host.
    pub fn with_http_client(base_url: &str, api_key: &str, http: reqwest::Client) -> Self {
        let base_url = base_url.trim().trim_end_matches('/');
        let checked = check_base_url(base_url);
        Self {
            baseurl: checked.as_ref().map_or(UNUSABLE, |()| base_url).to_owned(),
            client: http,
            inner: Transport::new(checked.and_then(|()| api_key_header(api_key))),
        }
    }

    /// A client for the service at `PETSTORE_URL` (default: `http://127.0.0.1:8080`) with the key in `PETSTORE_API_KEY`, the
    /// environment variables that `petstorectl` reads as well.
    ///
    /// # Errors
    ///
    /// `Error::InvalidRequest`: there is no key, or a value is invalid.
    #[expect(
        clippy::result_large_err,
        reason = "it is the error of every generated method"
    )]
    pub fn from_env() -> Result<Self, CallError> {
        Self::builder().env().build()
    }

    /// Settings from which a client is built, and checked at once.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// This client with another retry policy, for one call or for many; [`RetryPolicy::off`] disables retries. It shares
    /// connections and backoff with this one, and its limit of requests in flight if that is the same.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
    /// use petstore_client::RetryPolicy;
    ///
    /// client.with_retries(RetryPolicy::off()).list_pets().send().await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_retries(&self, policy: RetryPolicy) -> Self {
        let mut client = self.clone();
        client.inner.set_policy(policy);
        client
    }

    /// This client with a function that is called before each wait of a call, to log or show why it takes long. It must not
    /// block.
    ///
    /// ```
    /// # use petstore_client::Client;
    /// let client = Client::new("http://127.0.0.1:8080", "pst_…").with_observer(|event| {
    ///     eprintln!("{}: {}; next attempt in {:?}", event.operation, event.reason, event.delay);
    /// });
    /// ```
    #[must_use]
    pub fn with_observer(&self, observer: impl Fn(&RetryEvent) + Send + Sync + 'static) -> Self {
        let mut client = self.clone();
        client.inner.set_observer(Arc::new(observer));
        client
    }

    /// This client with a function that sees each attempt of a call with its response, to log or show it. It must not block.
    #[must_use]
    pub fn with_exchange_observer(
        &self,
        observer: impl Fn(&Exchange<'_>) + Send + Sync + 'static,
    ) -> Self {
        let mut client = self.clone();
        client.inner.set_exchange_observer(Arc::new(observer));
        client
    }

    /// This client with another clock that measures deadlines and waits for retries, for tests.
    #[must_use]
    pub fn with_clock(&self, clock: impl Clock + 'static) -> Self {
        let mut client = self.clone();
        client.inner.set_clock(Arc::new(clock));
        client
    }
}

/// The base URL in place of an invalid one, so that a request can be built and then rejected with the reason.
const UNUSABLE: &str = "http://invalid";

/// Checks that the paths of operations can be appended to a base URL. `Err`: what is wrong, and what to write.
///
/// Without a host, the first segment of each path would become the host, and would receive the API key.
fn check_base_url(base_url: &str) -> Result<(), String> {
    const EXAMPLE: &str = "such as http://127.0.0.1:8080";
    if base_url.is_empty() {
        return Err(format!(
            "the base URL is empty: write the address of the service, {EXAMPLE}"
        ));
    }
    // `localhost:8080` would be a URL with the scheme `localhost`.
    let has_scheme = base_url.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.chars().all(|c| c.is_ascii_alphabetic())
            && !rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if !has_scheme {
        return Err(format!(
            "the base URL `{base_url}` has no scheme: write `http://{base_url}` or `https://{base_url}`"
        ));
    }
    let invalid = |reason: &str| format!("the base URL is not valid: {reason}");
    if base_url.contains(['?', '#']) {
        return Err(invalid(&format!(
            "it has a query or a fragment, so no path can be appended; write only scheme, host and port, {EXAMPLE}"
        )));
    }
    let url = reqwest::Url::parse(&format!("{base_url}/"))
        .map_err(|error| invalid(&format!("{error}; write it {EXAMPLE}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(invalid(&format!(
            "its scheme is `{scheme}`; begin it with http:// or https://"
        )));
    }
    if cfg!(not(feature = "tls")) && url.scheme() == "https" {
        return Err(invalid("https needs the feature `tls` of petstore-client"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(
            "it has a user name or a password, which the service does not read; remove them: the API key is given by itself",
        ));
    }
    Ok(())
}

/// The value of the header `X-Api-Key`. `Err`: why it cannot be sent.
fn api_key_header(api_key: &str) -> Result<HeaderValue, String> {
    let mut api_key = HeaderValue::try_from(api_key)
        .map_err(|_| "the API key contains characters that are not allowed in a header: copy it again, without line breaks")?;
    api_key.set_sensitive(true);
    Ok(api_key)
}

fn default_http_client() -> reqwest::Client {
    let built = http_client_builder().build();
    // A machine without root certificates can use no https service, but still http.
    #[cfg(feature = "tls")]
    let built = built.or_else(|_| http_client_builder().tls_certs_only([]).build());
    built.expect("no setting depends on the machine any more")
}

fn http_client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("petstore-client/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(std::time::Duration::from_secs(5))
        // A redirect could send the API key to another host. No operation answers with one.
        .redirect(reqwest::redirect::Policy::none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_api_key_header_as_sensitive() {
        let key = api_key_header("pst_key").expect("a key");
        assert!(key.is_sensitive(), "request logs do not show it");
    }
}
