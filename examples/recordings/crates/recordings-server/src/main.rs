//! The service recordings: the operations of `spec/openapi.yaml` over a database, SQLite or PostgreSQL, behind the gate of dropspec-gate.

mod errors;
mod operations;
mod store;

use std::process::ExitCode;
use std::sync::Arc;

use dropspec_gate::keys::{KEY_TABLES, KEY_TABLES_2};
use dropspec_gate::{ApiKeys, Database, Service};
use dropspec_runtime::{PlanInfo, RateLimits};
use dropspec_service::{AuthenticatorError, Program};
use dropspec_store::sqlite::{IDEMPOTENCY_KEYS_SQL, Schema};
use mimalloc::MiMalloc;
use recordings_api::RecordingsInterface;
use tokio::sync::watch;

use crate::errors::Errors;

/// A request takes a tenth fewer instructions than with the allocator of the system.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The service: the state that all operations share.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub database: Database,
    /// The id of the last recording that this server stored, for those who watch.
    pub last: watch::Sender<i64>,
}

/// The generated interface: operation table, and dispatch of requests to the operations of [`App`].
type Interface = RecordingsInterface<App>;

/// The tables of the database on SQLite. A change is a new migration at the end; a released one never changes.
const SCHEMA: Schema = Schema {
    application_id: 0x248b01cd,
    migrations: &[
        &[
            include_str!("../migrations/1_recordings.sql"),
            IDEMPOTENCY_KEYS_SQL,
        ],
        KEY_TABLES,
        KEY_TABLES_2,
    ],
};

/// The same tables on PostgreSQL.
#[cfg(feature = "postgres")]
const POSTGRES_MIGRATIONS: &[&[&str]] = &[
    &[
        include_str!("../migrations/postgres/1_recordings.sql"),
        dropspec_store::postgres::IDEMPOTENCY_KEYS_SQL,
    ],
    dropspec_gate::keys::POSTGRES_KEY_TABLES,
];

/// The plans of API keys. The document can declare them instead, as `x-rate-limits`.
const PLANS: &[PlanInfo] = &[
    PlanInfo {
        name: "anonymous",
        limits: Some(RateLimits {
            per_minute: 60,
            per_day: 10_000,
        }),
    },
    PlanInfo {
        name: "standard",
        limits: Some(RateLimits {
            per_minute: 600,
            per_day: 100_000,
        }),
    },
    // Each key of this plan has limits of its own.
    PlanInfo {
        name: "enterprise",
        limits: None,
    },
];

fn main() -> ExitCode {
    dropspec_service::run::<App>()
}

impl Service for App {
    const NAME: &'static str = "recordings";
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
    const ABOUT: &'static str = "Recordings";
    const RECORDS: &'static str = "the records of the service";
    const SCHEMA: Schema = SCHEMA;
    #[cfg(feature = "postgres")]
    const POSTGRES_MIGRATIONS: &'static [&'static [&'static str]] = POSTGRES_MIGRATIONS;
    const KEY_MARK: &'static str = "recordings_";
    const FIRST_KEY_PLAN: &'static str = "standard";
    const ANONYMOUS_PLAN: &'static str = "anonymous";

    fn plans() -> &'static [PlanInfo] {
        PLANS
    }

    fn new(database: Database) -> App {
        App {
            database,
            last: watch::Sender::new(0),
        }
    }

    // What verifies credentials. For tokens of your own, see the README.
    fn authenticator(keys: &Arc<ApiKeys>) -> Result<Arc<ApiKeys>, AuthenticatorError> {
        Ok(Arc::clone(keys))
    }
}
