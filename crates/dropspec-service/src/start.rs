//! Opens the database of a program, creates the first API key, and starts the server.

use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use dropspec_gate::keys::{IssuedKey, KeySettings};
use dropspec_gate::logging::Causes;
use dropspec_gate::rate_limit::TimeSource;
use dropspec_gate::{ApiKeys, Database};

use crate::database::open;
use crate::first_key;
use crate::ledger;
use crate::program::{Program, key_scheme};
use crate::server::{Backend, Server};
use crate::server_clock;
use crate::settings::Settings;

/// Opens the database and starts the server. Creates and returns a first API key if the database has none, and keys are what
/// an operation requires.
///
/// # Errors
///
/// If no database is set or it cannot be used, or if an address cannot be bound. Then nothing was created.
pub async fn start<P: Program>(settings: &Settings) -> Result<(Server<P>, Option<IssuedKey>)> {
    let config = settings.database.as_ref().context("no database is set")?;
    let mut first_key = None;
    let mut by_database = None;
    let (mut adopted, mut recorded) = (Ok(()), Ok(()));
    let open = async || {
        let database = open::<P>(config).await?;
        let keys = open_keys::<P>(&database, settings.time).await?;
        let limits = settings.limits.as_ref();
        let keys = Arc::new(ledger::connect(P::NAME, keys, limits, settings.time).await?);
        let clock = keys.clock();
        let now = match &clock {
            Some(clock) => clock.now(),
            None => settings.requests.clock.now(),
        };
        by_database = clock.is_some().then(|| Arc::clone(&keys));
        let authenticator = P::authenticator(&keys)
            .map_err(|error| anyhow!(error).context("cannot prepare the authentication"))?;
        let has_keys = key_scheme::<P>().is_some();
        if has_keys {
            first_key = first_key::create::<P>(&keys, &settings.first_key, now).await?;
        }
        adopted = ledger::adopt_usage(&keys, now).await;
        let engine = ledger::address_of_engine(&keys);
        recorded = keys.set_limits_engine(engine).await;
        Ok(Backend {
            service: P::new(database),
            authenticator,
            ledger: Arc::clone(&keys),
            keys: has_keys.then_some((keys, P::FIRST_KEY_PLAN)),
            version: P::VERSION,
            clock,
        })
    };
    let server = Server::<P>::start(settings.clone(), open).await?;
    let gate = server.gate();
    if let Err(error) = adopted {
        slog::warn!(gate.log(), "what keys have used before this start counts anew";
            "error" => %Causes(&error));
    }
    if let Err(error) = recorded {
        slog::warn!(gate.log(), "the command `keys show` does not know where requests are counted";
            "error" => %Causes(&error));
    }
    if let Some(limiter) = gate.limiter() {
        ledger::log_faults(limiter.ledger(), gate.log()).await;
    }
    if let Some(keys) = by_database {
        tokio::spawn(server_clock::watch(keys, Arc::downgrade(gate)));
    }
    Ok((server, first_key))
}

/// The API keys of a service, by this clock.
///
/// # Errors
///
/// If the clock of the database cannot be read.
pub async fn open_keys<P: Program>(database: &Database, time: TimeSource) -> Result<ApiKeys> {
    let keys = api_keys::<P>(database.clone()).with_time(time);
    keys.await.context("cannot read the clock of the database")
}

/// The API keys of a service, which are stored in its database.
pub fn api_keys<P: Program>(database: impl Into<Database>) -> ApiKeys {
    let settings = KeySettings {
        mark: P::KEY_MARK,
        scheme: key_scheme::<P>(),
        plans: P::plans(),
    };
    ApiKeys::new(database, settings)
}
