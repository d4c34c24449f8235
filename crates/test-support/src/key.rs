//! API keys of a test, made through the store as the `keys` commands make them.

use chrono::Utc;
use petstore_api::Plan;
use petstore_client::{Client, RetryPolicy};
use petstore_server::auth::{Access, ApiKey, NewKey, Terms};
use petstore_server::rate_limit::Limits;
use petstore_server::store::Store;

/// The header that a key is shown in.
pub const API_KEY: &str = "X-API-Key";

/// A key that the store knows.
#[derive(Clone, Debug)]
pub struct TestKey {
    /// Its id.
    pub id: i64,
    /// Its secret.
    pub secret: ApiKey,
}

impl TestKey {
    /// Makes a key.
    pub async fn make(store: &Store, terms: Terms, access: Access) -> TestKey {
        let secret = ApiKey::generate().unwrap();
        let new = NewKey {
            name: "a test's".to_owned(),
            terms,
            access,
        };
        let id = store.create_key(new, &secret, Utc::now()).await.unwrap();
        TestKey { id, secret }
    }

    /// The secret as it is sent.
    pub fn text(&self) -> &str {
        self.secret.expose()
    }

    /// A client that shows the key, and hands on every answer as it comes, so that a test sees what the server does.
    pub(crate) fn client(&self, base_url: &str) -> Client {
        Client::new(base_url, self.text()).with_retries(RetryPolicy::off())
    }
}

/// The free plan.
pub fn free() -> Terms {
    Terms::new(Plan::Free, None).unwrap()
}

/// An enterprise key's terms.
pub fn enterprise(limits: Limits) -> Terms {
    Terms::new(Plan::Enterprise, Some(limits)).unwrap()
}
