//! The petstore as a service of the gate: opens the database, creates the first API key, and starts the server.

use std::sync::Arc;

use anyhow::{Context, Result};
use spec_gate::auth::{Access, PlanLimits};
use spec_gate::error::{ErrorBody, ErrorInfo};
use spec_gate::keys::{IssuedKey, KeySettings, NewKey};
use spec_gate::rate_limit::LimiterPolicy;
use spec_gate::{ApiKeys, Service, Settings, Setup};
use spec_runtime::Interface as _;
use sqlite_engine::Engine;

use crate::api::{Interface, Petstore};
use crate::error::to_error;
use crate::store::{EngineConfig, Store};

/// The settings with which the petstore is started: those of the server and of its database.
#[derive(Clone, Debug)]
pub struct Config {
    /// The listeners, limits and log.
    pub server: Settings,
    /// The SQLite database.
    pub store: EngineConfig,
}

impl Service for Petstore {
    const NAME: &'static str = "petstore";
    type Interface = Interface;
    type Authenticator = ApiKeys;
    type Ledger = ApiKeys;
    type ErrorBody = Petstore;

    fn engine(&self) -> Option<&Engine> {
        Some(self.store.engine())
    }
}

impl ErrorBody for Petstore {
    fn render(error: ErrorInfo) -> String {
        serde_json::to_string(&to_error(error)).expect("an Error has only strings and a number")
    }
}

/// A running petstore.
pub type Server = spec_gate::Server<Petstore>;

/// The plan of the API key that is created if the database has none.
const FIRST_KEY_PLAN: &str = "business";

/// The plan whose limits apply to requests without a valid key.
const ANONYMOUS_PLAN: &str = "free";

/// Opens the database and starts the server. Creates and returns a first API key if the database has none.
///
/// # Errors
///
/// If the database cannot be used or an address cannot be bound. Then nothing was created.
pub async fn start(config: &Config) -> Result<(Server, Option<IssuedKey>)> {
    let setup = Setup::<Petstore>::new(config.server.clone())?;
    let store = Store::open(&config.store)?;
    let keys = Arc::new(api_keys(&store));
    let first_key = NewKey {
        name: "first key".to_owned(),
        limits: plan_limits(FIRST_KEY_PLAN),
        access: Access::Write,
    };
    let first_key = keys
        .create_first(first_key, config.server.clock.now())
        .await
        .context("cannot make the first API key")?;
    let server = setup.start(Petstore { store }, Arc::clone(&keys), keys)?;
    Ok((server, first_key))
}

/// Returns the API keys of the petstore, which are stored in its database.
pub fn api_keys(store: &Store) -> ApiKeys {
    let settings = KeySettings {
        mark: "pst_",
        header: "X-API-Key",
        plans: Interface::plans(),
    };
    ApiKeys::new(Arc::clone(store.engine()), settings)
}

/// Returns the settings of the rate limiter: requests without a valid key have the limits of the free plan.
pub fn limiter_policy() -> LimiterPolicy {
    LimiterPolicy::new(plan_limits(ANONYMOUS_PLAN).limits())
}

/// Finds a plan of the document by its name, and returns it with its limits.
///
/// # Panics
///
/// If the document has no such plan, or the plan has no limits.
pub fn plan_limits(name: &str) -> PlanLimits {
    PlanLimits::find(Interface::plans(), name, None).expect("the document has the plan")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::Value;
    use spec_gate::reference::annotated_document;

    use super::*;

    #[test]
    fn annotated_document_differs_from_the_document_only_by_servers_and_badges() {
        let before: &Value = Interface::document().json();
        let mut after = annotated_document::<Interface>();
        after["servers"] = before["servers"].clone();
        let mut badges = 0;
        for item in after["paths"].as_object_mut().unwrap().values_mut() {
            for operation in item.as_object_mut().unwrap().values_mut() {
                let operation = operation.as_object_mut();
                badges += usize::from(operation.is_some_and(|it| it.remove("x-badges").is_some()));
            }
        }
        assert_eq!(&after, before);
        // Two beta, two experimental, one deprecated.
        assert_eq!(badges, 5);
    }
}
