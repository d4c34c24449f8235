//! API keys in SQLite: the ready-made authenticator and ledger, and the commands that manage keys.

mod authenticate;
mod cache;
mod changes;
pub mod commands;
mod record;
mod scopes;
mod table;
mod usage;

pub use self::authenticate::KeyIdentity;
pub use self::changes::KeyError;
pub use self::record::{IssuedKey, KeyRecord, NewKey, SecretRecord};
pub use self::scopes::KeyScopes;
pub use self::table::{
    API_KEY_CHANGES_SQL, API_KEYS_SQL, ApiKeys, CREDIT_SQL, KEY_SCOPES_SQL, KeySettings,
};
