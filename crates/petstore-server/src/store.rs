//! The store: loads records, applies the rules to them and saves them, in one transaction. Only it contains SQL.
//!
//! What it does is a trait for each resource; there is an implementation for each database. They have the same rules and the same
//! results, and the same tests.

/// Calls a method on the store that an [`AnyStore`] is. The future of PostgreSQL is boxed, so that it does not make that of SQLite
/// larger.
macro_rules! on_either {
    ($any:ident.$method:ident($($argument:ident),*)) => {
        match $any {
            AnyStore::Sqlite(store) => store.$method($($argument),*).await,
            #[cfg(feature = "postgres")]
            AnyStore::Postgres(store) => Box::pin(store.$method($($argument),*)).await,
        }
    };
}

pub mod categories;
mod error;
pub mod inventory;
pub mod orders;
pub mod pets;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;

pub use engine_types::{
    Created, EngineError, IdempotentRequest, Page, PageRequest, canonical_body_hash,
};
use serde::Serialize;
use spec_gate::conditional::Precondition;
use spec_gate::keys::{
    API_KEY_CHANGES_SQL, API_KEYS_SQL, CREDIT_SQL, KEY_LIMITS_SQL, KEY_SCOPES_SQL,
    OPERATION_USAGE_SQL,
};
#[cfg(feature = "postgres")]
use spec_gate::keys::{POSTGRES_API_KEYS_SQL, POSTGRES_OPERATION_USAGE_SQL};
pub use sqlite_engine::{EngineConfig, OpenError};

pub use self::categories::CategoryStore;
pub use self::error::StoreError;
pub use self::inventory::InventoryStore;
pub use self::orders::OrderStore;
pub use self::pets::PetStore;
#[cfg(feature = "postgres")]
pub use self::postgres::PostgresStore;
pub use self::sqlite::SqliteStore;
use crate::rule_violation::RuleViolation;

/// The schema of a petstore's database. Its application id is "psto" in ASCII.
pub const SCHEMA: sqlite_engine::Schema = sqlite_engine::Schema {
    application_id: 0x7073_746f,
    migrations: &[
        include_str!("../migrations/1_petstore.sql"),
        sqlite_engine::IDEMPOTENCY_KEYS_SQL,
        API_KEYS_SQL,
        API_KEY_CHANGES_SQL,
        CREDIT_SQL,
        include_str!("../migrations/2_orders_by_pet.sql"),
        KEY_SCOPES_SQL,
        OPERATION_USAGE_SQL,
        KEY_LIMITS_SQL,
    ],
};

/// The migrations of a petstore's database on PostgreSQL, in order.
#[cfg(feature = "postgres")]
pub const POSTGRES_MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/1_petstore.sql"),
    postgres_engine::IDEMPOTENCY_KEYS_SQL,
    POSTGRES_API_KEYS_SQL,
    POSTGRES_OPERATION_USAGE_SQL,
];

/// The schema of a petstore's database on PostgreSQL.
#[cfg(feature = "postgres")]
pub const POSTGRES_SCHEMA: postgres_engine::Schema = postgres_engine::Schema {
    application: "petstore",
    migrations: POSTGRES_MIGRATIONS,
};

/// The records of the petstore in a database: reads and writes them, and applies the rules to them.
pub trait Store: CategoryStore + PetStore + OrderStore + InventoryStore {}

impl<S: CategoryStore + PetStore + OrderStore + InventoryStore> Store for S {}

/// A store on the database that the operator has chosen.
#[derive(Debug, Clone)]
pub enum AnyStore {
    /// In a file.
    Sqlite(SqliteStore),
    /// On a server.
    #[cfg(feature = "postgres")]
    Postgres(PostgresStore),
}

/// Checks a precondition against a record, inside the transaction of the write and before the rules.
fn check_precondition(
    precondition: &Precondition,
    record: &impl Serialize,
) -> Result<(), RuleViolation> {
    if precondition.is_met_by(record) {
        Ok(())
    } else {
        Err(RuleViolation::PreconditionFailed)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde::de::DeserializeOwned;

    use super::*;
    use crate::categories::Category;
    use crate::orders::Order;
    use crate::pets::Pet;

    #[test]
    fn json_of_stored_records_does_not_change() {
        // Databases contain this JSON beside idempotency keys. Lines may be added here, but not edited.
        assert_round_trip::<Pet>(
            r#"{"id":7,"name":"Nemo \"the\" fish","category_id":3,"status":"available"}"#,
        );
        assert_round_trip::<Pet>(r#"{"id":7,"name":"Nemo","category_id":3,"status":"pending"}"#);
        assert_round_trip::<Pet>(r#"{"id":7,"name":"Nemo","category_id":3,"status":"sold"}"#);
        assert_round_trip::<Category>(r#"{"id":3,"name":"Fish","description":null}"#);
        assert_round_trip::<Category>(r#"{"id":3,"name":"Fish","description":"They swim."}"#);
        assert_round_trip::<Order>(
            r#"{"id":40,"pet_id":7,"quantity":2,"ship_date":null,"complete":false}"#,
        );
        assert_round_trip::<Order>(
            r#"{"id":40,"pet_id":7,"quantity":2,"ship_date":"2016-12-31T23:59:60.123456789Z","complete":true}"#,
        );
    }

    fn assert_round_trip<T: Serialize + DeserializeOwned>(json: &str) {
        let record: T = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), json);
    }
}
