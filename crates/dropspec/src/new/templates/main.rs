//! The service {{name}}: the operations of `spec/{{document}}` over a database, SQLite or PostgreSQL, behind the gate of dropspec-gate.

mod errors;
mod operations;

use std::process::ExitCode;
use std::sync::Arc;

use mimalloc::MiMalloc;
use {{crate}}_api::{{interface}};
use dropspec_service::{AuthenticatorError, Program};
use dropspec_gate::keys::{KEY_TABLES, KEY_TABLES_2};
use dropspec_gate::{ApiKeys, Database, Service};
{{runtime_imports}}
use dropspec_store::sqlite::{IDEMPOTENCY_KEYS_SQL, Schema};

use crate::errors::Errors;

/// A request takes a tenth fewer instructions than with the allocator of the system.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The service: the state that all operations share.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub database: Database,
}

/// The generated interface: operation table, and dispatch of requests to the operations of [`App`].
type Interface = {{interface}}<App>;

/// The tables of the database on SQLite. A change is a new migration at the end; a released one never changes.
const SCHEMA: Schema = Schema {
    application_id: {{application_id}},
    migrations: &[
        &[include_str!("../migrations/1_{{crate}}.sql"), IDEMPOTENCY_KEYS_SQL],
        KEY_TABLES,
        KEY_TABLES_2,
    ],
};

/// The same tables on PostgreSQL.
#[cfg(feature = "postgres")]
const POSTGRES_MIGRATIONS: &[&[&str]] = &[
    &[
        include_str!("../migrations/postgres/1_{{crate}}.sql"),
        dropspec_store::postgres::IDEMPOTENCY_KEYS_SQL,
    ],
    dropspec_gate::keys::POSTGRES_KEY_TABLES,
];

{{plans}}fn main() -> ExitCode {
    dropspec_service::run::<App>()
}

impl Service for App {
    const NAME: &'static str = "{{name}}";
    type Interface = Interface;
    type Authenticator = ApiKeys;
    type Ledger = ApiKeys;
    type ErrorBody = Errors;

    fn database(&self) -> Option<&Database> {
        Some(&self.database)
    }
}

impl Program for App {
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const ABOUT: &'static str = {{about}};
    const RECORDS: &'static str = "the records of the service";
    const SCHEMA: Schema = SCHEMA;
    #[cfg(feature = "postgres")]
    const POSTGRES_MIGRATIONS: &'static [&'static [&'static str]] = POSTGRES_MIGRATIONS;
    const KEY_MARK: &'static str = "{{key_mark}}";
    const FIRST_KEY_PLAN: &'static str = "{{first_key_plan}}";
    const ANONYMOUS_PLAN: &'static str = "{{anonymous_plan}}";
{{own_plans}}
    fn new(database: Database) -> App {
        App { database }
    }

    // What verifies credentials. For tokens of your own, see the README.
    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<ApiKeys>, AuthenticatorError> {
        Ok(Arc::clone(keys))
    }
}
