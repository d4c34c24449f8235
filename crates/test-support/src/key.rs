//! API keys, created through the store as the `keys` commands do.

use chrono::DateTime;
use petstore_api::Plan;
use petstore_client::{Client, RetryPolicy};
use petstore_server::auth::{Access, ApiKey, NewKey, Terms};
use petstore_server::rate_limit::Limits;
use petstore_server::store::Store;

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
    pub async fn create(store: &Store, terms: Terms, access: Access) -> TestKey {
        let secret = ApiKey::generate().unwrap();
        let new = NewKey {
            name: "test".to_owned(),
            terms,
            access,
        };
        let id = store.create_key(new, &secret, DateTime::UNIX_EPOCH);
        let id = id.await.unwrap();
        TestKey { id, secret }
    }

    /// The text of the secret.
    pub fn text(&self) -> &str {
        self.secret.expose()
    }

    /// A client with the key. It does not retry, so that a test sees every response.
    pub(crate) fn client(&self, base_url: &str) -> Client {
        Client::new(base_url, self.text()).with_retries(RetryPolicy::off())
    }
}

/// The terms of the free plan.
pub fn free() -> Terms {
    Terms::new(Plan::Free, None).unwrap()
}

/// The terms of an enterprise key with these limits.
pub fn enterprise(limits: Limits) -> Terms {
    Terms::new(Plan::Enterprise, Some(limits)).unwrap()
}
