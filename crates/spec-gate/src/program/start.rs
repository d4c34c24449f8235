//! Opens the database, creates the first API key, and starts the server.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use postgres_engine::PostgresEngine;
use spec_runtime::security::Security;
use spec_runtime::{Interface, SecuritySchemeInfo};
use sqlite_engine::Engine;

use super::first_key::{self, FirstKeyPolicy};
use super::{Program, ProgramLedger};
use crate::auth::{Authenticate, PlanLimits};
use crate::database::{Database, DatabaseConfig};
use crate::keys::{ApiKeys, IssuedKey, KeySettings};
use crate::logging::Causes;
use crate::rate_limit::{LimiterPolicy, TimeSource};
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
    /// By whose clock the windows of keys begin and end, if an engine that several servers can use counts them.
    pub time: TimeSource,
    /// What is done with the first API key.
    pub first_key: FirstKeyPolicy,
}

/// Opens the database and starts the server. Creates and returns a first API key if the database has none, and keys are what
/// an operation requires.
///
/// # Errors
///
/// If the database cannot be used or an address cannot be bound. Then nothing was created.
pub async fn start<P: Program>(config: &Config) -> Result<(Server<P>, Option<IssuedKey>)> {
    let setup = Setup::<P>::new(config.server.clone())?.with_version(P::settings().version);
    let database = open::<P>(&config.store).await?;
    let keys = api_keys::<P>(database.clone()).with_time(config.time);
    let keys = Arc::new(
        keys.await
            .context("cannot read the clock of the database")?,
    );
    let authenticator = P::authenticator(&keys)
        .map_err(|error| anyhow!(error).context("cannot prepare the authentication"))?;
    let first_key = match key_scheme::<P>() {
        Some(_) => {
            first_key::create::<P>(&keys, &config.first_key, config.server.clock.now()).await?
        }
        None => None,
    };
    let ledger = ProgramLedger::open::<P>(&keys, config.limits.as_ref(), config.time).await?;
    let adopted = ledger.adopt_usage(config.server.clock.now()).await;
    let ledger = Arc::new(ledger);
    let setup = match key_scheme::<P>() {
        Some(_) => setup.manage(
            Arc::clone(&keys),
            P::settings().first_key_plan,
            config.store.clone(),
        ),
        None => setup,
    };
    let server = setup.start(P::new(database), authenticator, Arc::clone(&ledger))?;
    if let Err(error) = adopted {
        slog::warn!(server.gate().log(), "what keys have used before this start counts anew";
            "error" => %Causes(&error));
    }
    ledger.log_faults(server.gate().log().clone()).await;
    Ok((server, first_key))
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
pub(super) fn key_scheme<P: Program>() -> Option<SecuritySchemeInfo> {
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
