//! The petstore as a program of the gate: its name, its tables, its plans, and the format of its errors.

use std::sync::Arc;

use dropspec_gate::error::{ErrorBody, ErrorInfo};
use dropspec_gate::{ApiKeys, Database, Service};
use dropspec_service::{AuthenticatorError, Program};
pub use dropspec_service::{FirstKeyPolicy, Settings, start};
use dropspec_store::sqlite::Schema;

use crate::api::{Interface, Petstore};
use crate::error::to_error;
#[cfg(feature = "postgres")]
use crate::store::POSTGRES_MIGRATIONS;
use crate::store::{SCHEMA, Store};

impl Service for Petstore {
    const NAME: &'static str = "petstore";
    type Interface = Interface;
    type Authenticator = ApiKeys;
    type Ledger = ApiKeys;
    type ErrorBody = Petstore;

    fn database(&self) -> Option<&Database> {
        Some(self.store.database())
    }
}

impl ErrorBody for Petstore {
    fn render(error: ErrorInfo) -> String {
        serde_json::to_string(&to_error(error)).expect("an Error has only strings and a number")
    }
}

impl Program for Petstore {
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const ABOUT: &'static str = "A petstore, served from its OpenAPI document";
    const RECORDS: &'static str = "pets, categories, stock and orders";
    const SCHEMA: Schema = SCHEMA;
    #[cfg(feature = "postgres")]
    const POSTGRES_MIGRATIONS: &'static [&'static [&'static str]] = POSTGRES_MIGRATIONS;
    const KEY_MARK: &'static str = "pst_";
    const FIRST_KEY_PLAN: &'static str = "business";
    const ANONYMOUS_PLAN: &'static str = "free";

    fn new(database: Database) -> Petstore {
        Petstore {
            store: Store::new(database),
        }
    }

    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<ApiKeys>, AuthenticatorError> {
        Ok(Arc::clone(keys))
    }
}

/// A running petstore.
pub type Server = dropspec_service::Server<Petstore>;
