//! The store on SQLite.

mod categories;
mod inventory;
mod orders;
mod pets;

use std::sync::Arc;

use sqlite_engine::{Engine, EngineConfig, OpenError};

use crate::store::SCHEMA;

/// Reads and writes the records of the petstore in an open SQLite database, and applies the rules to them.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    engine: Arc<Engine>,
}

impl SqliteStore {
    /// Creates the store over an open database with the tables of [`SCHEMA`].
    pub fn new(engine: Arc<Engine>) -> SqliteStore {
        SqliteStore { engine }
    }

    /// Opens the database as its only server. See [`Engine::open`].
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; then nothing was created or changed.
    pub fn open(config: &EngineConfig) -> Result<SqliteStore, OpenError> {
        let engine = Engine::open(SCHEMA, config)?;
        Ok(SqliteStore::new(Arc::new(engine)))
    }

    /// Opens the database while a server may be running. See [`Engine::open_beside_server`].
    ///
    /// # Errors
    ///
    /// See [`OpenError`]; [`OpenError::InUse`] if the database must be migrated while a server uses it.
    pub fn open_beside_server(config: &EngineConfig) -> Result<SqliteStore, OpenError> {
        let engine = Engine::open_beside_server(SCHEMA, config)?;
        Ok(SqliteStore::new(Arc::new(engine)))
    }

    /// Returns the engine of the database, for tables of others in it, such as that of API keys.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sqlite_engine::Select;

    use super::*;
    use crate::store::StoreError;

    fn open() -> (tempfile::TempDir, Engine) {
        let directory = tempfile::TempDir::new().unwrap();
        let config = EngineConfig::new(directory.path().join("db"));
        let engine = Engine::open(SCHEMA, &config).unwrap();
        (directory, engine)
    }

    #[test]
    fn first_migration_sets_the_application_id_of_the_schema() {
        let (_directory, engine) = open();
        let id = engine.read::<i32, StoreError>(|db| {
            Ok(db.query_row("PRAGMA application_id", [], |row| row.get(0))?)
        });
        assert_eq!(id.unwrap(), SCHEMA.application_id);
    }

    #[test]
    fn every_combination_of_filters_has_an_index_that_returns_rows_by_id() {
        let (_directory, engine) = open();
        let tables: [(&'static str, &[&[&'static str]]); 3] = [
            ("SELECT id FROM categories", &[&[]]),
            (
                "SELECT id, name FROM pets",
                &[
                    &[],
                    &["id"],
                    &["category_id"],
                    &["status"],
                    &["category_id", "status"],
                ],
            ),
            (
                "SELECT id, quantity FROM orders",
                &[
                    &[],
                    &["pet_id"],
                    &["complete"],
                    &["open_pet_id"],
                    &["completed_pet_id"],
                ],
            ),
        ];
        for (from, combinations) in tables {
            for columns in combinations {
                let select = columns.iter().fold(Select::new(from), |select, column| {
                    select.where_equal(column, Some(1))
                });
                let plan = query_plan(&engine, &select.sql());
                for column in *columns {
                    let searched = plan.contains(&format!("{column}=?"));
                    assert!(searched, "{column} of {from} is not searched by: {plan}");
                }
                assert!(plan.starts_with("SEARCH"), "{columns:?} of {from}: {plan}");
                let sorted = plan.contains("TEMP B-TREE");
                assert!(!sorted, "{columns:?} of {from} are sorted: {plan}");
            }
        }
    }

    fn query_plan(engine: &Engine, sql: &str) -> String {
        let plan = engine.read::<_, StoreError>(|db| {
            let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let lines = explain.raw_query().mapped(|row| row.get("detail"));
            let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>()?;
            Ok(lines.join("; "))
        });
        plan.unwrap()
    }
}
