//! The first key, without which nobody could try a new petstore.

use chrono::{DateTime, Utc};
use petstore_api::Plan;

use super::access::Access;
use super::api_key::ApiKey;
use super::record::NewKey;
use super::terms::Terms;
use crate::store::{Store, StoreError};

/// A key that was made just now. This is the only time that it can be shown.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// The key's id.
    pub id: i64,
    /// The key itself.
    pub key: ApiKey,
}

/// Makes a business key if the database has no key at all, not even a revoked one.
///
/// # Errors
///
/// When the store cannot keep it, or the system has no randomness to give.
pub async fn bootstrap(store: &Store, now: DateTime<Utc>) -> Result<Option<IssuedKey>, StoreError> {
    if store.has_keys()? {
        return Ok(None);
    }
    let terms = Terms::new(Plan::Business, None).map_err(StoreError::internal)?;
    let new = NewKey {
        name: "first key".to_owned(),
        terms,
        access: Access::Write,
    };
    let key = ApiKey::generate().map_err(StoreError::unavailable)?;
    let id = store.create_first_key(new, &key, now).await?;
    Ok(id.map(|id| IssuedKey { id, key }))
}
