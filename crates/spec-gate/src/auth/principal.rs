//! The sender of a request, and how a service finds it.

use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue};

use super::access::Access;
use crate::rate_limit::Account;
use crate::storage_error::StorageError;

/// Finds the sender of each request by its headers, and writes the texts of 401 responses.
pub trait Authenticate: Send + Sync + 'static {
    /// Finds the sender of a request by its headers. `now` is the time when the request arrived.
    ///
    /// # Errors
    ///
    /// If the storage of the authenticator fails.
    fn authenticate(
        &self,
        headers: &HeaderMap,
        now: DateTime<Utc>,
    ) -> impl Future<Output = Result<Principal, StorageError>> + Send;

    /// The credential in the headers of a request. Requests with the same credential have the same sender, until the
    /// operator changes its key. `None`, the default, if there is not exactly one: then each request is authenticated.
    fn credential<'h>(&self, headers: &'h HeaderMap) -> Option<&'h [u8]> {
        let _ = headers;
        None
    }

    /// Writes the error message of the 401 response to a request without a valid key.
    fn explain(&self, reason: Unauthenticated) -> String;

    /// The value of the `WWW-Authenticate` header of every 401 response (RFC 9110, section 11.6.1).
    fn challenge(&self) -> HeaderValue;

    /// The value of the `Vary` header of every response: the request headers that name the sender (RFC 9110, section
    /// 12.5.5).
    fn vary(&self) -> HeaderValue;
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    /// The holder of a valid key.
    Key(KeyPrincipal),
    /// A sender without a valid key.
    Anonymous(Unauthenticated),
}

/// The holder of a valid key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPrincipal {
    /// The key's id, limits and ban, for the limiter.
    pub account: Account,
    /// The name of the key's plan.
    pub plan: &'static str,
    /// The access of the key.
    pub access: Access,
    /// The prefix of the secret that was sent, which names the key in logs.
    pub prefix: String,
}

/// Why a request has no valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthenticated {
    /// It has no key.
    Missing,
    /// Its key is malformed or unknown, or it has several.
    Invalid,
    /// Its key was revoked.
    Revoked,
    /// Its secret was replaced and has expired.
    Replaced,
}
