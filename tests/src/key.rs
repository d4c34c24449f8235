//! API keys of a test, made through the store as the `keys` commands make them.

use chrono::Utc;
use http::{HeaderMap, HeaderValue};
use petstore_api::Plan;
use petstore_client::Client;
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

    /// A generated client that shows the key.
    pub(crate) fn client(&self, base_url: &str) -> Client {
        let key = HeaderValue::from_str(self.text()).unwrap();
        let headers = HeaderMap::from_iter([(API_KEY.parse().unwrap(), key)]);
        let transport = reqwest::Client::builder().default_headers(headers);
        Client::new_with_client(base_url, transport.build().unwrap())
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
