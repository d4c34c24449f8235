//! Constructors of [`Client`], and clients with other settings. Its operations are generated.

use std::sync::Arc;

use reqwest::header::HeaderValue;

use spec_transport::{BaseUrlError, build_http_client};

use crate::{
    CallError, Client, ClientBuilder, Clock, Exchange, RetryEvent, RetryPolicy, Transport,
};

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
        Self::with_http_client(base_url, api_key, build_http_client(http_client_builder))
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
        client.inner.sender.set_policy(policy);
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
        client.inner.sender.set_observer(Arc::new(observer));
        client
    }

    /// This client with a function that sees each attempt of a call with its response, to log or show it. It must not block.
    #[must_use]
    pub fn with_exchange_observer(
        &self,
        observer: impl Fn(&Exchange<'_>) + Send + Sync + 'static,
    ) -> Self {
        let mut client = self.clone();
        client
            .inner
            .sender
            .set_exchange_observer(Arc::new(observer));
        client
    }

    /// This client with another clock that measures deadlines and waits for retries, for tests.
    #[must_use]
    pub fn with_clock(&self, clock: impl Clock + 'static) -> Self {
        let mut client = self.clone();
        client.inner.sender.set_clock(Arc::new(clock));
        client
    }
}

/// The base URL in place of an invalid one, so that a request can be built and then rejected with the reason.
const UNUSABLE: &str = "http://invalid";

/// Checks that the paths of operations can be appended to a base URL. `Err`: what is wrong, and what to write.
fn check_base_url(base_url: &str) -> Result<(), String> {
    spec_transport::check_base_url(base_url).map_err(|error| match error {
        BaseUrlError::NoTls => {
            "the base URL is not valid: https needs the feature `tls` of petstore-client".to_owned()
        }
        BaseUrlError::UserInfo => {
            "the base URL is not valid: it has a user name or a password, which the service does not read; remove them: \
             the API key is given by itself"
                .to_owned()
        }
        error => error.to_string(),
    })
}

/// The value of the header `X-Api-Key`. `Err`: why it cannot be sent.
fn api_key_header(api_key: &str) -> Result<HeaderValue, String> {
    let mut api_key = HeaderValue::try_from(api_key)
        .map_err(|_| "the API key contains characters that are not allowed in a header: copy it again, without line breaks")?;
    api_key.set_sensitive(true);
    Ok(api_key)
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
