//! API keys as the database stores them.

use dropspec_rate_limit::Ban;

use super::scopes::KeyScopes;
use super::time::to_rfc3339;
use crate::api_keys::{Access, ApiKey, KeyPlan};

/// The fields of an API key that the operator gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// The operator's name for it.
    pub name: String,
    /// Its plan and limits.
    pub plan: KeyPlan,
    /// Its access.
    pub access: Access,
    /// Its scopes.
    pub scopes: KeyScopes,
    /// The time from which none of its secrets is accepted, in Unix seconds.
    pub expires_at: Option<i64>,
    /// What the operator wants to remember of it.
    pub note: Option<String>,
}

impl NewKey {
    /// A key of this name and plan that may call all operations and does not expire.
    pub fn new(name: impl Into<String>, plan: KeyPlan) -> NewKey {
        NewKey {
            name: name.into(),
            plan,
            access: Access::Write,
            scopes: KeyScopes::ALL,
            expires_at: None,
            note: None,
        }
    }

    /// The fields as the log of changes has them.
    pub(super) fn fields(&self) -> [(&'static str, Option<String>); 6] {
        let scopes = self.scopes.to_column();
        [
            ("name", Some(self.name.clone())),
            ("plan", Some(self.plan.to_string())),
            ("access", Some(self.access.to_string())),
            ("scopes", Some(scopes.unwrap_or_else(|| "all".to_owned()))),
            ("expiry", self.expires_at.map(to_rfc3339)),
            ("note", self.note.clone()),
        ]
    }
}

/// The identity of a request with an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyIdentity {
    /// The id of the key.
    pub id: i64,
    /// The scopes of the key.
    pub scopes: KeyScopes,
}

/// An API key that was just created, with its secret, which can be shown only now.
#[derive(Clone, Debug)]
pub struct IssuedKey {
    /// The key's id.
    pub id: i64,
    /// The secret.
    pub key: ApiKey,
}

/// An API key as it is stored. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id, never assigned twice.
    pub id: i64,
    /// What the operator has given it.
    pub given: NewKey,
    /// The time of its creation.
    pub created_at: i64,
    /// The time of its revocation.
    pub revoked_at: Option<i64>,
    /// The time when it last claimed requests; up to a minute behind its last request.
    pub last_used_at: Option<i64>,
    /// Its last ban.
    pub ban: Ban,
    /// Its secrets, the newest first.
    pub secrets: Vec<SecretRecord>,
}

/// The stored secret of an API key, without the secret itself. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretRecord {
    /// Its first characters: the mark and 4 more.
    pub prefix: String,
    /// Its last 4 characters.
    pub last4: String,
    /// The time of its creation.
    pub created_at: i64,
    /// The time from which it is not accepted.
    pub expires_at: Option<i64>,
}

impl KeyRecord {
    /// Whether it has expired at `now` (Unix seconds).
    pub fn is_expired_at(&self, now: i64) -> bool {
        has_ended(self.given.expires_at, now)
    }

    /// Whether it is neither revoked nor expired at `now` (Unix seconds).
    pub fn is_valid_at(&self, now: i64) -> bool {
        self.revoked_at.is_none() && !self.is_expired_at(now)
    }
}

impl SecretRecord {
    /// Whether it has expired at `now` (Unix seconds).
    pub fn is_expired_at(&self, now: i64) -> bool {
        has_ended(self.expires_at, now)
    }
}

/// Whether what ends at `end`, if it does, is over at `now`: from that second on.
pub(super) fn has_ended(end: Option<i64>, now: i64) -> bool {
    end.is_some_and(|end| end <= now)
}
