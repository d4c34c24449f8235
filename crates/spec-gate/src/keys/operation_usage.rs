//! The table `operation_usage`.

use rusqlite::named_params;
use sqlite_engine::EngineError;

use super::table::{ApiKeys, Tables};
use crate::rate_limit::OperationCount;
use crate::storage_error::StorageError;

/// The SQL migration that creates the table of the usage of operations.
pub const OPERATION_USAGE_SQL: &str = include_str!("../../migrations/operation_usage.sql");

/// The SQL migration that creates the table of the usage of operations on PostgreSQL.
pub const POSTGRES_OPERATION_USAGE_SQL: &str =
    include_str!("../../migrations/postgres/operation_usage.sql");

/// A stored count, with the name of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCount {
    /// The count.
    pub count: OperationCount,
    /// The name of the key; `None` if there is no such key.
    pub key_name: Option<String>,
}

impl ApiKeys {
    /// Adds requests to the usage of operations, and deletes that of the days before `oldest`.
    ///
    /// # Errors
    ///
    /// If they cannot be stored.
    pub(super) async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        let engine =
            sqlite_or_return!(self.tables, keys => keys.add_operation_usage(counts, oldest));
        let written = engine.write(move |db| {
            let mut insert = db.prepare_cached(
                "INSERT INTO operation_usage (day, operation, input, key_id, requests)
                 VALUES (:day, :operation, :input, :key_id, :requests)
                 ON CONFLICT (day, operation, input, key_id) DO UPDATE SET requests = requests + excluded.requests",
            )?;
            for count in &counts {
                insert.execute(named_params! {
                    ":day": count.day,
                    ":operation": count.operation,
                    ":input": count.input,
                    ":key_id": count.key_id,
                    ":requests": count.requests,
                })?;
            }
            let mut delete = db.prepare_cached("DELETE FROM operation_usage WHERE day < ?")?;
            delete.execute([oldest])?;
            Ok::<_, EngineError>(())
        });
        written.await.map_err(EngineError::into)
    }

    /// Reads the usage of operations from a day on, in the order of operations, inputs, keys and days.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_operation_usage(&self, first_day: i64) -> Result<Vec<KeyCount>, EngineError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.read_operation_usage(first_day));
        engine.read(|db| {
            let mut select = db.prepare_cached(
                "SELECT u.day, u.operation, u.input, u.key_id, u.requests, k.name
                 FROM operation_usage u LEFT JOIN api_keys k ON k.id = u.key_id
                 WHERE u.day >= ? ORDER BY u.operation, u.input, u.key_id, u.day",
            )?;
            let rows = select.query_map([first_day], |row| {
                Ok(KeyCount {
                    count: OperationCount {
                        day: row.get("day")?,
                        operation: row.get("operation")?,
                        input: row.get("input")?,
                        key_id: row.get("key_id")?,
                        requests: row.get("requests")?,
                    },
                    key_name: row.get("name")?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
