//! API keys in the database of a service: the ready-made authenticator and ledger, and the commands that manage keys.

/// The engine of SQLite. On PostgreSQL, returns what a call on its tables returns; its future is boxed, so that it does not make
/// that of SQLite larger.
macro_rules! sqlite_or_return {
    ($tables:expr, $keys:ident => $call:expr) => {
        match &$tables {
            Tables::Sqlite(engine) => engine,
            Tables::Postgres($keys) => return Box::pin($call).await.map_err(From::from),
        }
    };
}

mod authenticate;
mod cache;
mod changes;
pub mod commands;
mod operation_usage;
mod postgres;
mod record;
mod scopes;
mod table;
mod usage;
mod used;

pub use self::authenticate::KeyIdentity;
pub use self::changes::KeyError;
pub use self::operation_usage::{KeyCount, OPERATION_USAGE_SQL, POSTGRES_OPERATION_USAGE_SQL};
pub use self::postgres::POSTGRES_API_KEYS_SQL;
pub use self::record::{IssuedKey, KeyRecord, NewKey, SecretRecord};
pub use self::scopes::KeyScopes;
pub use self::table::{
    API_KEY_CHANGES_SQL, API_KEYS_SQL, ApiKeys, CREDIT_SQL, KEY_LIMITS_SQL, KEY_SCOPES_SQL,
    KeySettings,
};
pub use self::usage::charge_lost_credit;
