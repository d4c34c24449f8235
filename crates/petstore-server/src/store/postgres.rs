//! The store on PostgreSQL. Each write locks the rows that its rules depend on, in the order categories, pets, orders, so that no two
//! wait for each other.

mod categories;
mod inventory;
mod orders;
mod pets;

use std::sync::Arc;

use postgres_engine::{OpenError, PostgresConfig, PostgresEngine};

use crate::rule_violation::RuleViolation;
use crate::store::POSTGRES_SCHEMA;

/// Reads and writes the records of the petstore in an open PostgreSQL database, and applies the rules to them.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    engine: Arc<PostgresEngine>,
}

impl PostgresStore {
    /// Creates the store over an open database with the tables of [`POSTGRES_SCHEMA`].
    pub fn new(engine: Arc<PostgresEngine>) -> PostgresStore {
        PostgresStore { engine }
    }

    /// Opens the database, which other servers may use, too. See [`PostgresEngine::open`].
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; then nothing was created or changed.
    pub async fn open(config: &PostgresConfig) -> Result<PostgresStore, OpenError> {
        let engine = PostgresEngine::open(POSTGRES_SCHEMA, config).await?;
        Ok(PostgresStore::new(Arc::new(engine)))
    }

    /// Returns the engine of the database.
    pub fn engine(&self) -> &Arc<PostgresEngine> {
        &self.engine
    }
}

/// Checks that a text can be stored: PostgreSQL has no texts with U+0000.
pub(super) fn check_text(pointer: &'static str, text: &str) -> Result<(), RuleViolation> {
    if text.contains('\0') {
        Err(RuleViolation::ValidationFailed {
            pointer,
            message: "must not contain the character U+0000".to_owned(),
        })
    } else {
        Ok(())
    }
}
