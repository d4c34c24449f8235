//! Authentication by API keys, wherever the document's security schemes say that they are sent.

use chrono::{DateTime, Utc};
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_runtime::{SecurityScheme, SecuritySchemeInfo};

use crate::api_keys::{ApiKeys, KeyIdentity};
use crate::auth::{Authenticate, Principal, Unauthenticated};
use crate::error::ErrorKind;
use crate::storage_error::StorageError;

/// A key is the value of an `apiKey`; the token of `http` bearer, OAuth 2, OpenID Connect and any other scheme of
/// `Authorization`; and of `http` basic the user name or the password, whichever is a key. Every change of a key applies
/// from its next request on, as a secret in the cache is used only while no key has changed.
impl Authenticate for ApiKeys {
    type Identity = KeyIdentity;
    const VERIFIES_API_KEYS: bool = true;

    async fn verify(
        &self,
        scheme: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        now: DateTime<Utc>,
    ) -> Verified<Principal<KeyIdentity>, Unauthenticated, StorageError> {
        match credentials {
            Credentials::Key(text) => self.verify_secret(&[key_in(scheme.kind, &text)], now).await,
            Credentials::Token(text) => self.verify_secret(&[text], now).await,
            Credentials::Basic { user, password } => {
                self.verify_secret(&[&user, &password], now).await
            }
        }
    }

    fn has_scope(&self, key: &KeyIdentity, scope: &str) -> bool {
        key.scopes.has(scope)
    }

    fn explain(&self, reason: Unauthenticated, places: &str) -> String {
        match reason {
            Unauthenticated::Missing => format!("send your API key in {places}"),
            Unauthenticated::Invalid => {
                format!("{places} holds no valid API key; look for a typo")
            }
            Unauthenticated::Revoked => {
                "this API key has been revoked; ask for a new one".to_owned()
            }
            Unauthenticated::Expired => "this API key has expired; ask for a new one".to_owned(),
            Unauthenticated::Replaced => {
                "this API key was replaced and has expired; use the new one".to_owned()
            }
        }
    }

    fn error_kind(&self, reason: Unauthenticated) -> ErrorKind {
        match reason {
            Unauthenticated::Missing => ErrorKind::MissingApiKey,
            Unauthenticated::Invalid => ErrorKind::InvalidApiKey,
            Unauthenticated::Revoked | Unauthenticated::Replaced | Unauthenticated::Expired => {
                ErrorKind::RevokedApiKey
            }
        }
    }
}

/// The key in the value of an `apiKey`. Documents often declare bearer tokens as an `apiKey` in the header `Authorization`.
fn key_in<'t>(scheme: SecurityScheme<'_>, text: &'t str) -> &'t str {
    let is_authorization = matches!(
        scheme,
        SecurityScheme::Header(name) if name.eq_ignore_ascii_case("Authorization")
    );
    match text.split_once(' ') {
        Some((scheme, rest)) if is_authorization && scheme.eq_ignore_ascii_case("Bearer") => {
            rest.trim_ascii_start()
        }
        _ => text,
    }
}
