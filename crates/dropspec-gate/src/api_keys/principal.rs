//! The sender of a request, as an authenticator verified it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use dropspec_rate_limit::Account;

use super::access::Access;

/// The verified sender of a request. `T` is the identity of the service's `Authenticate`.
#[derive(Debug)]
pub struct Principal<T: ?Sized> {
    /// Who it is: of an API key the key, of a token for example its claims.
    pub identity: Arc<T>,
    /// The id, limits and ban, for the limiter.
    pub account: Account,
    /// The name of the plan, in metrics.
    pub plan: &'static str,
    /// The access (`x-required-access`).
    pub access: Access,
    /// The name in logs: of an API key the first characters of the secret that was sent.
    pub prefix: KeyPrefix,
}

/// The name of a principal in logs, at most 24 bytes. It is copied without an allocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyPrefix {
    bytes: [u8; KeyPrefix::MAX],
    length: u8,
}

/// Why a request has no valid credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unauthenticated {
    /// It has none.
    Missing,
    /// They are malformed or unknown, or there are several.
    Invalid,
    /// They have expired.
    Expired,
    /// They were revoked.
    Revoked,
    /// They were replaced by others, and have expired.
    Replaced,
}

impl<T: Any + Send + Sync> Principal<T> {
    /// The same principal, without the type of its identity.
    pub fn erase(self) -> Principal<dyn Any + Send + Sync> {
        Principal {
            identity: self.identity,
            account: self.account,
            plan: self.plan,
            access: self.access,
            prefix: self.prefix,
        }
    }
}

impl Principal<dyn Any + Send + Sync> {
    /// The same principal with the type of its identity; `None` if it has another one.
    pub fn downcast<T: Any + Send + Sync>(self) -> Option<Principal<T>> {
        Some(Principal {
            identity: self.identity.downcast().ok()?,
            account: self.account,
            plan: self.plan,
            access: self.access,
            prefix: self.prefix,
        })
    }
}

// Derived, it would demand that the identity can be cloned.
impl<T: ?Sized> Clone for Principal<T> {
    fn clone(&self) -> Self {
        Principal {
            identity: Arc::clone(&self.identity),
            ..*self
        }
    }
}

impl KeyPrefix {
    /// The largest number of bytes.
    pub const MAX: usize = 24;

    /// The first 24 bytes of `text`, or less where that would divide a character.
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
    fn prefix_is_the_first_24_bytes_without_half_a_character() {
        for (text, expected) in [
            ("pst_0123", "pst_0123"),
            ("", ""),
            ("1234567890123456789012345", "123456789012345678901234"),
            ("12345678901234567890123é", "12345678901234567890123"),
        ] {
            assert_eq!(KeyPrefix::new(text).to_string(), expected);
        }
    }
}
