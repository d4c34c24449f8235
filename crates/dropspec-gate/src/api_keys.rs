//! API keys in the database of a service, SQLite or PostgreSQL: their secrets, plans, limits and scopes; and the ledgers of
//! the limiter, these tables or Redis.

mod access;
mod api_key;
mod cache;
mod change_log;
mod changes;
mod claims;
mod database;
mod db;
mod engine_error;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod holder;
mod key_plan;
#[cfg(feature = "redis")]
mod last_use;
mod ledger;
mod limits_engine;
mod lost_credit;
mod operation_usage;
#[cfg(feature = "postgres")]
mod postgres;
mod principal;
mod read;
mod record;
#[cfg(feature = "redis")]
pub mod redis_ledger;
mod scopes;
mod settings;
mod table;
mod time;
mod usage;
mod used;

pub use self::access::Access;
pub use self::api_key::{ApiKey, KeyHash, MAX_MARK};
pub use self::change_log::{Author, LOG_ROWS, LoggedChange};
pub use self::changes::{EXPIRED, KeyError};
pub use self::database::Database;
pub use self::engine_error::to_storage_error;
pub use self::key_plan::{KeyPlan, KeyPlanError};
pub use self::operation_usage::KeyCount;
#[cfg(feature = "postgres")]
pub use self::postgres::POSTGRES_KEY_TABLES;
pub use self::principal::{KeyPrefix, Principal, Unauthenticated};
pub use self::read::MAX_FOUND;
pub use self::record::{IssuedKey, KeyIdentity, KeyRecord, NewKey, SecretRecord};
pub use self::scopes::KeyScopes;
pub use self::settings::KeySettings;
pub use self::table::{ApiKeys, KEY_TABLES, KEY_TABLES_2};
pub use self::time::to_rfc3339;
