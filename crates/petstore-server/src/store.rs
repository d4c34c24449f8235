//! The store: loads records, applies the rules to them and saves them, in one transaction. Only it contains SQL.
//!
//! An operation is written once for both databases: what it reads, all at once, what the rules make of it, and what it writes then.

mod categories;
mod error;
#[cfg(all(test, feature = "postgres"))]
#[path = "../tests/it/store/fixture.rs"]
#[allow(dead_code, clippy::unwrap_used)]
mod fixture;
mod found;
mod inventory;
mod orders;
mod pets;
#[cfg(feature = "postgres")]
mod postgres;
mod resource;
mod row;
mod sqlite;
mod table;

use dropspec_gate::Database;
use dropspec_gate::conditional::Precondition;
use dropspec_gate::keys::{KEY_TABLES, KEY_TABLES_2};
pub use dropspec_store::sqlite::{EngineConfig, OpenError};
pub use dropspec_store::{
    Created, EngineError, IdempotentRequest, Page, PageRequest, canonical_body_hash,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::error::StoreError;
pub use self::found::Found;
pub use self::resource::{Body, Change, PlainResource, Resource, find_referenced};
pub use self::row::{Column, FromRow, Row, Statement, Value};
pub use self::table::{Filters, Table, column};
use crate::rule_violation::RuleViolation;

/// The schema of a petstore's database. Its application id is "psto" in ASCII.
pub const SCHEMA: dropspec_store::sqlite::Schema = dropspec_store::sqlite::Schema {
    application_id: 0x7073_746f,
    migrations: &[
        &[
            include_str!("../migrations/1_petstore.sql"),
            dropspec_store::sqlite::IDEMPOTENCY_KEYS_SQL,
        ],
        KEY_TABLES,
        &[include_str!("../migrations/2_orders_by_pet.sql")],
        KEY_TABLES_2,
    ],
};

/// The migrations of a petstore's database on PostgreSQL, in order.
#[cfg(feature = "postgres")]
pub const POSTGRES_MIGRATIONS: &[&[&str]] = &[
    &[
        include_str!("../migrations/postgres/1_petstore.sql"),
        dropspec_store::postgres::IDEMPOTENCY_KEYS_SQL,
    ],
    dropspec_gate::keys::POSTGRES_KEY_TABLES,
];

/// The schema of a petstore's database on PostgreSQL.
#[cfg(feature = "postgres")]
pub const POSTGRES_SCHEMA: dropspec_store::postgres::Schema = dropspec_store::postgres::Schema {
    application: "petstore",
    migrations: POSTGRES_MIGRATIONS,
};

/// The records of the petstore in a database: reads and writes them, and applies the rules to them.
///
/// Its methods fail with the violation of a rule, or if the database cannot be used.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

/// What a write returns.
pub trait Record: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Sets the id of a record that was inserted.
    fn set_id(&mut self, _: i64) {}

    /// Completes the record by the id that the last statement has returned, if it has.
    fn with_id(mut self, id: Option<i64>) -> Self {
        if let Some(id) = id {
            self.set_id(id);
        }
        self
    }
}

impl Record for () {}

/// What the rules make of what a write has read: the statements that it runs then, and the record that it returns. It may be called
/// several times.
trait Decide<T>:
    Fn(&mut Found<'_>) -> Result<(Vec<Statement>, T), StoreError> + Send + Sync + 'static
{
}

impl<D, T> Decide<T> for D where
    D: Fn(&mut Found<'_>) -> Result<(Vec<Statement>, T), StoreError> + Send + Sync + 'static
{
}

impl Store {
    /// The records in an open database with the tables of [`SCHEMA`], or of [`POSTGRES_SCHEMA`].
    pub fn new(database: impl Into<Database>) -> Store {
        Store {
            database: database.into(),
        }
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Reads the record that a statement finds by its id.
    async fn find<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        id: i64,
    ) -> Result<Option<T>, StoreError> {
        let found = match &self.database {
            Database::Sqlite(engine) => engine.read(|db| sqlite::find(db, sql, id)),
            // Boxed, so that this future is no larger than SQLite needs.
            #[cfg(feature = "postgres")]
            Database::Postgres(engine) => {
                let read = engine.read(&id, |db, id| Box::pin(postgres::find(db, sql, *id)));
                Box::pin(read).await
            }
        };
        Ok(found?)
    }

    /// Reads a page of a list.
    async fn page<T: FromRow + Send + 'static>(
        &self,
        from: &'static str,
        filters: Filters,
        page: PageRequest,
    ) -> Result<Page<T>, StoreError> {
        let page = match &self.database {
            Database::Sqlite(engine) => engine.read(|db| sqlite::page(db, from, filters, page)),
            #[cfg(feature = "postgres")]
            Database::Postgres(engine) => {
                let read = engine.read(&filters, |db, filters| {
                    Box::pin(postgres::page(db, from, filters, page))
                });
                Box::pin(read).await
            }
        };
        Ok(page?)
    }

    /// Reads, decides and writes in one transaction. A request that is repeated gets the record of the first one.
    async fn write<T: Record>(
        &self,
        request: Option<IdempotentRequest>,
        reads: Vec<Statement>,
        decide: impl Decide<T>,
    ) -> Result<Created<T>, StoreError> {
        match &self.database {
            Database::Sqlite(engine) => {
                let write = move |db: &_| sqlite::write(db, request.as_ref(), &reads, &decide);
                engine.write(write).await
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(engine) => {
                let input = (request, reads, decide);
                let write = engine.write(&input, |db, (request, reads, decide)| {
                    Box::pin(postgres::write(db, request.as_ref(), reads, decide))
                });
                Box::pin(write).await
            }
        }
    }

    /// Like [`Store::write`], for requests that may not be repeated.
    async fn change<T: Record>(
        &self,
        reads: Vec<Statement>,
        decide: impl Decide<T>,
    ) -> Result<T, StoreError> {
        Ok(self.write(None, reads, decide).await?.record)
    }

    fn is_sqlite(&self) -> bool {
        self.database.sqlite().is_some()
    }
}

/// Checks a precondition against a record, inside the transaction of the write and before the rules.
fn check_precondition(
    precondition: &Precondition,
    record: &impl Serialize,
) -> Result<(), RuleViolation> {
    if precondition.is_met_by(record) {
        Ok(())
    } else {
        Err(RuleViolation::precondition_failed())
    }
}

#[cfg(test)]
mod tests {
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
