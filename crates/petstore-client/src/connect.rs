//! How a client is made. The requests it can send are generated.

use std::sync::Arc;

use crate::clock::Clock;
use crate::retry::RetryPolicy;
use crate::{Client, Transport};

impl Client {
    /// A client for the service at `base_url`, such as `https://pets.example.com`, that shows this key with every
    /// request. It retries as [`RetryPolicy::default`] says. Clones are cheap, and share connections and pauses.
    ///
    /// A key with characters that no header can carry, and a base URL without a host, with a query or with a fragment,
    /// are reported by each call as `Error::InvalidRequest`, which says why; what is no URL at all, as
    /// `Error::CommunicationError`.
    pub fn new(base_url: &str, api_key: &str) -> Self {
        Self::with_http_client(base_url, api_key, http_client())
    }

    /// The same over connections of your own making: proxies, certificates, a user agent. Its timeouts give way to those
    /// of the policy. Have it follow no redirects, as [`Client::new`] does: they would take the key wherever they lead.
    pub fn with_http_client(base_url: &str, api_key: &str, http: reqwest::Client) -> Self {
        let base_url = base_url.trim_end_matches('/');
        Self {
            baseurl: base_url.to_owned(),
            client: http,
            inner: Transport::new(base_url, api_key),
        }
    }

    /// Retries by another policy, or, with [`RetryPolicy::off`], not at all.
    #[must_use]
    pub fn with_retries(mut self, policy: RetryPolicy) -> Self {
        self.inner.set_policy(policy);
        self
    }

    /// Waits by another clock, for tests.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.inner.set_clock(Arc::new(clock));
        self
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn http_client() -> reqwest::Client {
    let built = builder().build();
    // A machine without certificates can trust no https service, but it can still speak http.
    #[cfg(feature = "tls")]
    let built = built.or_else(|_| builder().tls_certs_only([]).build());
    built.expect("nothing is left that depends on the machine")
}

#[cfg(not(target_arch = "wasm32"))]
fn builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(concat!("petstore-client/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(std::time::Duration::from_secs(5))
        // The key is for this service alone, and no operation answers with a redirect.
        .redirect(reqwest::redirect::Policy::none())
}

#[cfg(target_arch = "wasm32")]
fn http_client() -> reqwest::Client {
    reqwest::Client::new()
}
