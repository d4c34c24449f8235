//! Constructors of [`Client`]. Its operations are generated.

use std::sync::Arc;

use crate::clock::Clock;
use crate::retry::RetryPolicy;
use crate::{Client, Transport};

impl Client {
    /// A client for the service at `base_url`, such as `https://pets.example.com`, that sends this API key with every
    /// request and retries by [`RetryPolicy::default`]. Clones are cheap and share connections and backoff.
    ///
    /// An invalid key or base URL is reported by each call, not here: as `Error::InvalidRequest` if the key has
    /// characters that a header cannot hold, or the base URL has no host, a query or a fragment; as
    /// `Error::CommunicationError` if the base URL is not a URL.
    pub fn new(base_url: &str, api_key: &str) -> Self {
        Self::with_http_client(base_url, api_key, default_http_client())
    }

    /// Like [`Client::new`], with an HTTP client of your own (proxy, certificates, user agent). The retry policy's
    /// timeouts replace its timeouts. Disable redirects in it: they could send the API key to another host.
    pub fn with_http_client(base_url: &str, api_key: &str, http: reqwest::Client) -> Self {
        let base_url = base_url.trim_end_matches('/');
        Self {
            baseurl: base_url.to_owned(),
            client: http,
            inner: Transport::new(base_url, api_key),
        }
    }

    /// Replaces the retry policy; [`RetryPolicy::off`] disables retries.
    #[must_use]
    pub fn with_retries(mut self, policy: RetryPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }

    /// Replaces the clock that measures deadlines and waits for retries, for tests.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.inner.set_clock(Arc::new(clock));
        self
    }
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
