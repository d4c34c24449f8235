//! What the store keeps of API keys, as the rest of the service sees it.

use super::access::Access;
use super::identity::Caller;
use super::terms::Terms;
use crate::rate_limit::{Ban, Held};

/// A key to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// What the operator calls it.
    pub name: String,
    /// What is agreed with its owner.
    pub terms: Terms,
    /// What it may do.
    pub access: Access,
}

/// A key. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id, never given twice.
    pub id: i64,
    /// What the operator calls it.
    pub name: String,
    /// What is agreed with its owner.
    pub terms: Terms,
    /// What it may do.
    pub access: Access,
    /// When it was made.
    pub created_at: i64,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When it was last seen to use some of its limits; to the minute.
    pub last_used_at: Option<i64>,
    /// Its last ban.
    pub ban: Ban,
    /// Its secrets, the newest first.
    pub secrets: Vec<SecretRecord>,
}

/// What is kept of a secret, as far as people may see it. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRecord {
    /// Its first 8 characters.
    pub prefix: String,
    /// Its last 4 characters.
    pub last4: String,
    /// When it was made.
    pub created_at: i64,
    /// From when on it is not accepted any more.
    pub expires_at: Option<i64>,
}

/// What is claimed of a key's windows: spent, or leased ahead by a running server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUsage {
    /// The last minute of which something was claimed.
    pub minute: Option<Held>,
    /// The last day of which something was claimed.
    pub day: Option<Held>,
}

/// What the store knows of a secret that somebody showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundKey {
    /// Whose it is.
    pub caller: Caller,
    /// When the key was revoked, in Unix seconds.
    pub revoked_at: Option<i64>,
    /// When this secret expires, in Unix seconds.
    pub expires_at: Option<i64>,
}
