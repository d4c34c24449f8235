//! The service {{name}}: the operations of `spec/{{document}}` over a database, SQLite or PostgreSQL, behind the gate of spec-gate.

mod errors;
mod operations;

use std::process::ExitCode;
use std::sync::Arc;

use mimalloc::MiMalloc;
use {{crate}}_api::{{interface}};
use spec_gate::keys::{
    API_KEY_CHANGES_SQL, API_KEYS_SQL, CREDIT_SQL, KEY_LIMITS_SQL, KEY_SCOPES_SQL,
    OPERATION_USAGE_SQL, POSTGRES_API_KEYS_SQL, POSTGRES_OPERATION_USAGE_SQL,
};
use spec_gate::program::{self, AuthenticatorError, Program, ProgramLedger, ProgramSettings};
use spec_gate::{ApiKeys, Database, Service};
{{runtime_imports}}
use sqlite_engine::{IDEMPOTENCY_KEYS_SQL, Schema};

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
        include_str!("../migrations/1_{{crate}}.sql"),
        IDEMPOTENCY_KEYS_SQL,
        API_KEYS_SQL,
        API_KEY_CHANGES_SQL,
        CREDIT_SQL,
        KEY_SCOPES_SQL,
        OPERATION_USAGE_SQL,
        KEY_LIMITS_SQL,
    ],
};

/// The same tables on PostgreSQL.
const POSTGRES_SCHEMA: postgres_engine::Schema = postgres_engine::Schema {
    application: "{{name}}",
    migrations: &[
        include_str!("../migrations/postgres/1_{{crate}}.sql"),
        postgres_engine::IDEMPOTENCY_KEYS_SQL,
        POSTGRES_API_KEYS_SQL,
        POSTGRES_OPERATION_USAGE_SQL,
    ],
};

{{plans}}fn main() -> ExitCode {
    program::run::<App>()
}

impl Service for App {
    const NAME: &'static str = "{{name}}";
    type Interface = Interface;
    type Authenticator = ApiKeys;
    type Ledger = ProgramLedger;
    type ErrorBody = Errors;

    fn database(&self) -> Option<&Database> {
        Some(&self.database)
    }
}

impl Program for App {
    fn settings() -> ProgramSettings {
        ProgramSettings {
            version: env!("CARGO_PKG_VERSION"),
            about: {{about}},
            records: "the records of the service",
            schema: SCHEMA,
            postgres_schema: POSTGRES_SCHEMA,
            key_mark: "{{key_mark}}",
            plans: {{plans_value}},
            first_key_plan: "{{first_key_plan}}",
            anonymous_plan: "{{anonymous_plan}}",
        }
    }

    fn new(database: Database) -> App {
        App { database }
    }

    // What verifies credentials. For tokens of your own, see the README.
    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<ApiKeys>, AuthenticatorError> {
        Ok(Arc::clone(keys))
    }
}
