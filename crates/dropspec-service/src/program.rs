//! What a service has to say of itself to be a program.

use std::error::Error;
use std::sync::Arc;

use dropspec_gate::auth::{Authenticate, KeyPlan};
use dropspec_gate::rate_limit::LimiterPolicy;
use dropspec_gate::{ApiKeys, Database, Service};
use dropspec_runtime::security::Security;
use dropspec_runtime::{Interface, PlanInfo, SecuritySchemeInfo};
use dropspec_store::sqlite::Schema;

/// A service that is a program of its own, with its records and its API keys in one database, SQLite or PostgreSQL.
pub trait Program: Service<Ledger = ApiKeys> {
    /// The version of the program: `env!("CARGO_PKG_VERSION")`.
    const VERSION: &'static str;
    /// What the program is, in a line.
    const ABOUT: &'static str;
    /// What the database holds beside API keys, such as `pets and orders`.
    const RECORDS: &'static str;
    /// The tables of the database on SQLite. They include [`KEY_TABLES`](dropspec_gate::keys::KEY_TABLES) and
    /// [`KEY_TABLES_2`](dropspec_gate::keys::KEY_TABLES_2).
    const SCHEMA: Schema;
    /// The migrations of the database on PostgreSQL, in order. They include
    /// [`POSTGRES_KEY_TABLES`](dropspec_gate::keys::POSTGRES_KEY_TABLES). A released one never changes.
    #[cfg(feature = "postgres")]
    const POSTGRES_MIGRATIONS: &'static [&'static [&'static str]];
    /// The first characters of every API key, such as `pst_`.
    const KEY_MARK: &'static str;
    /// The plan of the API key that is created if the database has none.
    const FIRST_KEY_PLAN: &'static str;
    /// The plan whose limits apply to requests without a valid key.
    const ANONYMOUS_PLAN: &'static str;

    /// The plans of API keys: those of the document, unless the service has its own.
    fn plans() -> &'static [PlanInfo] {
        Self::Interface::plans()
    }

    /// Creates the service over its open database.
    fn new(database: Database) -> Self;

    /// Creates what verifies the credentials of requests: the API keys themselves, or the service's own
    /// [`Authenticate`](dropspec_gate::auth::Authenticate), which can pass keys on to them.
    ///
    /// # Errors
    ///
    /// If it cannot be created, for example because the key of an issuer of tokens is missing.
    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<Self::Authenticator>, AuthenticatorError>;
}

/// Why a service cannot verify credentials: any error.
pub type AuthenticatorError = Box<dyn Error + Send + Sync>;

/// The security scheme by which a key is sent: the first one that an operation uses. `None` if no operation requires
/// credentials, or the service verifies its own instead of API keys.
pub(crate) fn key_scheme<P: Program>() -> Option<SecuritySchemeInfo> {
    let first = Security::<P::Interface>::new().schemes().next();
    let first = first.filter(|_| P::Authenticator::VERIFIES_API_KEYS);
    first.map(|index| P::Interface::security_schemes()[index])
}

/// The settings of the rate limiter: requests without a valid key have the limits of the plan for them.
pub fn limiter_policy<P: Program>() -> LimiterPolicy {
    LimiterPolicy::new(find_plan::<P>(P::ANONYMOUS_PLAN).limits())
}

/// Finds a plan by its name, and returns it with its limits.
///
/// # Panics
///
/// If there is no such plan, or the plan has no limits.
pub fn find_plan<P: Program>(name: &str) -> KeyPlan {
    KeyPlan::resolve(P::plans(), name, None).expect("the plans that the program names have limits")
}
