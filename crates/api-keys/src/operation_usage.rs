//! The table `operation_usage`.

use rusqlite::named_params;
use sqlite_engine::EngineError;

use super::db::{Db, Sqlite, read, run};
use super::engine_error::to_storage_error;
use super::table::{ApiKeys, Tables};
use rate_limit::OperationCount;
use rate_limit::storage_error::StorageError;

/// The SQL migration that creates the table of the usage of operations.
pub const OPERATION_USAGE_SQL: &str = include_str!("../migrations/operation_usage.sql");

/// The SQL migration that creates the table of the usage of operations on PostgreSQL.
pub const POSTGRES_OPERATION_USAGE_SQL: &str =
    include_str!("../migrations/postgres/operation_usage.sql");

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
        written.await.map_err(to_storage_error)
    }

    /// Reads the usage of operations from a day on, in the order of operations, inputs, keys and days.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_operation_usage(&self, first_day: i64) -> Result<Vec<KeyCount>, EngineError> {
        read!(self.tables, first_day, read_operation_usage)
    }
}

async fn read_operation_usage<D: Db>(
    db: &D,
    first_day: &i64,
) -> Result<Vec<KeyCount>, EngineError> {
    let select = "SELECT u.day, u.operation, u.input, u.key_id, u.requests, k.name
        FROM operation_usage u LEFT JOIN api_keys k ON k.id = u.key_id
        WHERE u.day >= $1 ORDER BY u.operation, u.input, u.key_id, u.day";
    let rows = db.query(select, &[first_day]).await?;
    let counts = rows.iter().map(|row| {
        Ok(KeyCount {
            count: OperationCount {
                day: row.get(0)?,
                operation: row.get(1)?,
                input: row.get(2)?,
                key_id: row.get(3)?,
                requests: row.get_count(4)?,
            },
            key_name: row.get(5)?,
        })
    });
    counts.collect()
}
