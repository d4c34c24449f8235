//! API keys, created through the store as the `keys` commands do.

use chrono::DateTime;
use dropspec_gate::ApiKeys;
use dropspec_gate::auth::{Access, ApiKey, KeyPlan};
use dropspec_gate::keys::NewKey;
use dropspec_gate::rate_limit::RateLimits;
use dropspec_runtime::Interface as _;
use petstore_client::{Client, RetryPolicy};
use petstore_server::api::Interface;

/// The header of the API key.
pub const API_KEY: &str = "X-API-Key";

/// An API key in the store.
#[derive(Clone, Debug)]
pub struct TestKey {
    /// Its id.
    pub id: i64,
    /// Its secret.
    pub secret: ApiKey,
}

impl TestKey {
    /// Creates a key.
    pub async fn create(keys: &ApiKeys, plan: KeyPlan, access: Access) -> TestKey {
        let secret = keys.generate_secret().unwrap();
        let new = NewKey {
            access,
            ..NewKey::new("test", plan)
        };
        let id = keys.create(new, &secret, DateTime::UNIX_EPOCH);
        let id = id.await.unwrap();
        TestKey { id, secret }
    }

    /// The secret as it is sent in the header.
    pub fn text(&self) -> &str {
        self.secret.expose()
    }

    /// A client with the key. It does not retry, so that a test sees every response.
    pub(crate) fn client(&self, base_url: &str) -> Client {
        Client::connect(base_url, self.text())
            .unwrap()
            .with_retries(RetryPolicy::off())
    }
}

/// The enterprise plan with limits of a contract of its own.
pub fn enterprise(limits: RateLimits) -> KeyPlan {
    KeyPlan::resolve(Interface::plans(), "enterprise", Some(limits)).unwrap()
}
