//! Verifies the tokens (JWT) of the identity provider by the public keys that it publishes.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use dropspec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
use dropspec_gate::rate_limit::{Account, RateLimits};
use dropspec_gate::storage_error::StorageError;
use dropspec_runtime::SecuritySchemeInfo;
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_service::AuthenticatorError;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::JwkSet;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use parcels_api::interface::PLANS;
use serde::Deserialize;

/// The plan of all senders, in `x-rate-limits` of the document.
const PLAN: &str = "standard";

/// The claims of a token: who sends a request.
#[derive(Debug, Deserialize)]
pub struct Claims {
    /// The subject, whose requests are counted together.
    pub sub: String,
    /// The granted scopes, with spaces between them.
    #[serde(default)]
    pub scope: String,
}

/// Verifies tokens by the keys of the issuer.
pub struct Tokens {
    keys: HashMap<String, DecodingKey>,
    validation: Validation,
    limits: RateLimits,
}

impl Tokens {
    /// Reads the keys from the file that the environment variable `PARCELS_ISSUER_KEYS` names: the JSON Web Key Set that the
    /// issuer publishes at its `jwks_uri`.
    pub fn from_env() -> Result<Tokens, AuthenticatorError> {
        let wrong = |error: String| format!("PARCELS_ISSUER_KEYS: {error}");
        let file =
            std::env::var("PARCELS_ISSUER_KEYS").map_err(|error| wrong(error.to_string()))?;
        let text =
            std::fs::read_to_string(&file).map_err(|error| wrong(format!("{file}: {error}")))?;
        let set: JwkSet =
            serde_json::from_str(&text).map_err(|error| wrong(format!("{file}: {error}")))?;
        let mut keys = HashMap::new();
        for key in &set.keys {
            let id = key
                .common
                .key_id
                .clone()
                .ok_or_else(|| wrong("a key has no `kid`".to_owned()))?;
            keys.insert(
                id,
                DecodingKey::from_jwk(key).map_err(|error| wrong(error.to_string()))?,
            );
        }
        // The algorithm is that of the service, and never chosen by the token.
        let mut validation = Validation::new(Algorithm::ES256);
        validation.set_issuer(&["https://login.example.com"]);
        validation.set_audience(&["parcels"]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        let plan = PLANS.iter().find(|plan| plan.name == PLAN);
        let limits = plan
            .and_then(|plan| plan.limits)
            .ok_or("the document has no plan `standard`")?;
        Ok(Tokens {
            keys,
            validation,
            limits,
        })
    }

    fn decode(&self, token: &str) -> Result<Claims, Unauthenticated> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| Unauthenticated::Invalid)?;
        let key = header.kid.and_then(|id| self.keys.get(&id));
        let key = key.ok_or(Unauthenticated::Invalid)?;
        let token = jsonwebtoken::decode::<Claims>(token, key, &self.validation);
        token
            .map(|token| token.claims)
            .map_err(|error| match error.kind() {
                ErrorKind::ExpiredSignature => Unauthenticated::Expired,
                _ => Unauthenticated::Invalid,
            })
    }
}

impl Authenticate for Tokens {
    type Identity = Claims;

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        _now: DateTime<Utc>,
    ) -> Verified<Principal<Claims>, Unauthenticated, StorageError> {
        let Credentials::Token(token) = credentials else {
            return Ok(Err(Unauthenticated::Invalid));
        };
        Ok(self.decode(token).map(|claims| Principal {
            // Counted in memory, or with `--limits` in Redis for all servers.
            account: Account::of_subject(&claims.sub, self.limits),
            plan: PLAN,
            access: Access::Write,
            prefix: KeyPrefix::new(&claims.sub),
            identity: Arc::new(claims),
        }))
    }

    fn has_scope(&self, claims: &Claims, scope: &str) -> bool {
        claims.scope.split(' ').any(|granted| granted == scope)
    }
}
