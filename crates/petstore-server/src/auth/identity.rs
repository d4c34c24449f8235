//! Matches a request to the key that it shows. The store is asked each time, so that whatever the operator changes
//! holds from the next request on.

use chrono::{DateTime, Utc};
use petstore_api::Plan;

use super::access::Access;
use super::api_key::ApiKey;
use crate::rate_limit::Account;
use crate::store::{Store, StoreError};

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Someone with a valid key.
    Key(Caller),
    /// Someone without.
    Anonymous(Unidentified),
}

/// Someone with a valid key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// What the limiter needs to know: the key's id, limits and ban.
    pub account: Account,
    /// The plan that the limits come from.
    pub plan: Plan,
    /// What the key may do.
    pub access: Access,
    /// The first 8 characters of the secret that was shown, by which logs name it.
    pub prefix: String,
}

/// Why a request has no valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unidentified {
    /// 401 `missing_api_key`: it shows none.
    Missing,
    /// 401 `invalid_api_key`: what it shows is not a key, or not one of ours; or it shows several.
    Invalid,
    /// 401 `revoked_api_key`: the key was revoked, or was replaced and the overlap is over.
    Revoked,
}

/// Finds the sender of a request that came at `now`, by the values of its `X-API-Key` headers.
///
/// # Errors
///
/// When the store cannot be asked. It is asked only for what can be a key.
pub fn identify<'a>(
    store: &Store,
    mut shown: impl Iterator<Item = &'a [u8]>,
    now: DateTime<Utc>,
) -> Result<Identity, StoreError> {
    let Some(first) = shown.next() else {
        return Ok(Identity::Anonymous(Unidentified::Missing));
    };
    let key = std::str::from_utf8(first)
        .ok()
        .and_then(|text| ApiKey::parse(text).ok());
    let (Some(key), None) = (key, shown.next()) else {
        return Ok(Identity::Anonymous(Unidentified::Invalid));
    };
    Ok(match store.find_key(&key.hash())? {
        None => Identity::Anonymous(Unidentified::Invalid),
        Some(found) => {
            let is_over = |end: Option<i64>| end.is_some_and(|end| end <= now.timestamp());
            // A key is revoked at once, whatever the clock that noted the time of it.
            if found.revoked_at.is_some() || is_over(found.expires_at) {
                Identity::Anonymous(Unidentified::Revoked)
            } else {
                Identity::Key(found.caller)
            }
        }
    })
}
