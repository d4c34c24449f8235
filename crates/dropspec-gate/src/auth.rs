//! Who sends a request: the hook that verifies credentials, principals, their access and limits, and the format of API
//! keys. How many requests a principal may send is decided in `rate_limit`.

use chrono::{DateTime, Utc};
use dropshot::ClientErrorStatusCode;
use dropspec_runtime::SecuritySchemeInfo;
use dropspec_runtime::security::{Credentials, Verified};

pub use crate::api_keys::{
    Access, ApiKey, KeyHash, KeyPlan, KeyPlanError, KeyPrefix, MAX_MARK, Principal, Unauthenticated,
};
use crate::error::ErrorKind;
use crate::storage_error::StorageError;

/// Verifies the credentials of requests. The gate reads them by the security schemes that the operation names, and calls
/// the operation only with the identities that this returned: all schemes of one of its alternatives, with all scopes.
///
/// [`ApiKeys`](crate::ApiKeys) is an implementation. One for tokens verifies the signature and the expiry, and returns the
/// claims as the identity:
///
/// ```
/// # use std::sync::Arc;
/// # use chrono::{DateTime, Utc};
/// # use dropspec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
/// # use dropspec_gate::rate_limit::{Account, RateLimits};
/// # use dropspec_gate::storage_error::StorageError;
/// # use dropspec_runtime::SecuritySchemeInfo;
/// # use dropspec_runtime::security::{Credentials, Verified};
/// struct Claims { subject: String, scope: String }
/// # fn decode(token: &str, now: DateTime<Utc>) -> Result<Claims, Unauthenticated> { Err(Unauthenticated::Invalid) }
/// struct Tokens;
///
/// impl Authenticate for Tokens {
///     type Identity = Claims;
///
///     async fn verify(
///         &self,
///         _scheme: &'static SecuritySchemeInfo,
///         credentials: Credentials<'_>,
///         now: DateTime<Utc>,
///     ) -> Verified<Principal<Claims>, Unauthenticated, StorageError> {
///         let Credentials::Token(token) = credentials else {
///             return Ok(Err(Unauthenticated::Invalid));
///         };
///         Ok(decode(token, now).map(|claims| Principal {
///             account: Account::of_subject(&claims.subject, RateLimits { per_minute: 60, per_day: 1000 }),
///             plan: "standard",
///             access: Access::Write,
///             prefix: KeyPrefix::new(&claims.subject),
///             identity: Arc::new(claims),
///         }))
///     }
///
///     fn has_scope(&self, claims: &Claims, scope: &str) -> bool {
///         claims.scope.split(' ').any(|granted| granted == scope)
///     }
/// }
/// ```
pub trait Authenticate: Send + Sync + 'static {
    /// Who sends a request. Handlers get it by [`Gate::current_call`](crate::Gate::current_call).
    type Identity: Send + Sync + 'static;

    /// Whether API keys of the database are credentials, so that the first start of a program makes one. An implementation
    /// that passes credentials on to [`ApiKeys`](crate::ApiKeys) sets it.
    const VERIFIES_API_KEYS: bool = false;

    /// Verifies the credentials of a scheme. `now` is the time when the request arrived. It is called for each request that
    /// has credentials, also when the request is refused afterwards, and once for each scheme.
    ///
    /// # Errors
    ///
    /// The inner error says why the credentials are not valid; the outer one, that they cannot be verified now.
    fn verify(
        &self,
        scheme: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        now: DateTime<Utc>,
    ) -> impl Future<Output = Verified<Principal<Self::Identity>, Unauthenticated, StorageError>> + Send;

    /// Whether an identity has been granted a scope of the document.
    fn has_scope(&self, identity: &Self::Identity, scope: &str) -> bool;

    /// Writes the error message of the 401 response to a request without valid credentials. `places` is where the operation
    /// expects them, such as `the X-API-Key header`.
    fn explain(&self, reason: Unauthenticated, places: &str) -> String {
        match reason {
            Unauthenticated::Missing => format!("send your credentials in {places}"),
            Unauthenticated::Invalid => format!("{places} holds no valid credentials"),
            Unauthenticated::Expired => "the credentials have expired; ask for new ones".to_owned(),
            Unauthenticated::Revoked => {
                "the credentials have been revoked; ask for new ones".to_owned()
            }
            Unauthenticated::Replaced => {
                "the credentials were replaced and have expired; use the new ones".to_owned()
            }
        }
    }

    /// The kind of the error of that response: by default 401 `unauthorized`.
    fn error_kind(&self, reason: Unauthenticated) -> ErrorKind {
        let _ = reason;
        ErrorKind::Other(ClientErrorStatusCode::UNAUTHORIZED)
    }
}
