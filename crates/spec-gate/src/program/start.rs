//! Opens the database, creates the first API key, and starts the server.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use postgres_engine::PostgresEngine;
use spec_runtime::security::Security;
use spec_runtime::{Interface, SecuritySchemeInfo};
use sqlite_engine::Engine;

use super::{Program, ProgramLedger};
use crate::auth::{Access, Authenticate, PlanLimits};
use crate::database::{Database, DatabaseConfig};
use crate::keys::{ApiKeys, IssuedKey, KeyScopes, KeySettings, NewKey};
use crate::rate_limit::LimiterPolicy;
use crate::redis_ledger::RedisAddress;
use crate::server::{Server, Setup};
use crate::settings::Settings;

/// The settings with which a program starts: those of the server and of its database.
#[derive(Clone, Debug)]
pub struct Config {
    /// The listeners, limits and log.
    pub server: Settings,
    /// The database.
    pub store: DatabaseConfig,
    /// The engine that counts requests for several servers; `None` if the database counts them.
    pub limits: Option<RedisAddress>,
}

/// Opens the database and starts the server. Creates and returns a first API key if the database has none, and keys are what
/// an operation requires.
///
/// # Errors
///
/// If the database cannot be used or an address cannot be bound. Then nothing was created.
pub async fn start<P: Program>(config: &Config) -> Result<(Server<P>, Option<IssuedKey>)> {
    let setup = Setup::<P>::new(config.server.clone())?;
    let database = open::<P>(&config.store).await?;
    let keys = Arc::new(api_keys::<P>(database.clone()));
    let authenticator = P::authenticator(&keys)
        .map_err(|error| anyhow!(error).context("cannot prepare the authentication"))?;
    let first_key = match key_scheme::<P>() {
        Some(_) => create_first_key::<P>(&keys, config).await?,
        None => None,
    };
    let ledger = ProgramLedger::open::<P>(&keys, config.limits.as_ref()).await?;
    let ledger = Arc::new(ledger);
    let server = setup.start(P::new(database), authenticator, Arc::clone(&ledger))?;
    ledger.log_faults(server.gate().log().clone());
    Ok((server, first_key))
}

/// Creates an API key if the database has none.
async fn create_first_key<P: Program>(
    keys: &ApiKeys,
    config: &Config,
) -> Result<Option<IssuedKey>> {
    let key = NewKey {
        name: "first key".to_owned(),
        limits: plan_limits::<P>(P::settings().first_key_plan),
        access: Access::Write,
        scopes: KeyScopes::ALL,
    };
    let created = keys.create_first(key, config.server.clock.now());
    created.await.context("cannot make the first API key")
}

/// Opens the database for a server, and creates or migrates it if necessary.
async fn open<P: Program>(config: &DatabaseConfig) -> Result<Database> {
    let settings = P::settings();
    Ok(match config {
        DatabaseConfig::Sqlite(config) => Arc::new(Engine::open(settings.schema, config)?).into(),
        DatabaseConfig::Postgres(config) => {
            let engine = PostgresEngine::open(settings.postgres_schema, config).await?;
            Arc::new(engine).into()
        }
    })
}

/// The API keys of a service, which are stored in its database.
pub fn api_keys<P: Program>(database: impl Into<Database>) -> ApiKeys {
    let settings = P::settings();
    let settings = KeySettings {
        mark: settings.key_mark,
        scheme: key_scheme::<P>(),
        plans: settings.plans,
    };
    ApiKeys::new(database, settings)
}

/// The security scheme by which a key is sent: the first one that an operation uses. `None` if no operation requires
/// credentials, or the service verifies its own instead of API keys.
fn key_scheme<P: Program>() -> Option<SecuritySchemeInfo> {
    let first = Security::<P::Interface>::new().schemes().next();
    let first = first.filter(|_| P::Authenticator::VERIFIES_API_KEYS);
    first.map(|index| P::Interface::security_schemes()[index])
}

/// The settings of the rate limiter: requests without a valid key have the limits of the plan for them.
pub fn limiter_policy<P: Program>() -> LimiterPolicy {
    LimiterPolicy::new(plan_limits::<P>(P::settings().anonymous_plan).limits())
}

/// Finds a plan by its name, and returns it with its limits.
///
/// # Panics
///
/// If there is no such plan, or the plan has no limits.
pub fn plan_limits<P: Program>(name: &str) -> PlanLimits {
    PlanLimits::find(P::settings().plans, name, None)
        .expect("the plans that the program names have limits")
}
