//! The sender of a request, and how a service finds it.

use std::fmt;

use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue};

use super::access::Access;
use crate::rate_limit::Account;
use crate::storage_error::StorageError;

/// Finds the sender of each request by its headers, and writes the texts of 401 responses.
pub trait Authenticate: Send + Sync + 'static {
    /// Finds the sender of a request by its headers. `now` is the time when the request arrived. It is called for each
    /// request of an operation, also when the key is refused afterwards.
    ///
    /// # Errors
    ///
    /// If the storage of the authenticator fails.
    fn authenticate(
        &self,
        headers: &HeaderMap,
        now: DateTime<Utc>,
    ) -> impl Future<Output = Result<Principal, StorageError>> + Send;

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
    pub prefix: KeyPrefix,
}

/// The prefix of a secret, which names its key in logs: the first 8 characters. It is copied without an allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyPrefix {
    bytes: [u8; KeyPrefix::MAX],
    length: u8,
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

impl KeyPrefix {
    const MAX: usize = 8;

    /// The first 8 bytes of `text`, or less where that would divide a character.
    pub fn new(text: &str) -> KeyPrefix {
        let text = &text[..text.floor_char_boundary(KeyPrefix::MAX)];
        let mut bytes = [0; KeyPrefix::MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        KeyPrefix {
            bytes,
            length: text.len() as u8,
        }
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        // It is never divided, so this never fails.
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Debug for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_the_first_eight_bytes_without_half_a_character() {
        for (text, expected) in [
            ("pst_0123456789", "pst_0123"),
            ("ann", "ann"),
            ("", ""),
            ("1234567é", "1234567"),
        ] {
            assert_eq!(KeyPrefix::new(text).to_string(), expected);
        }
    }
}
