//! The table `operation_usage`.

use dropspec_rate_limit::OperationCount;
use dropspec_store::EngineError;

use super::db::{Db, Parameter, Sqlite, read, run};
use super::table::{ApiKeys, Tables};

/// A stored count, with the name of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCount {
    /// The count.
    pub count: OperationCount,
    /// The name of the key; `None` if there is no such key.
    pub key_name: Option<String>,
}

impl ApiKeys {
    /// Reads the usage of operations from a day on, in the order of operations, inputs, keys and days.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn read_operation_usage(&self, first_day: i64) -> Result<Vec<KeyCount>, EngineError> {
        read!(self.tables, first_day, read_operation_usage)
    }
}

pub(super) async fn add_operation_usage<D: Db>(
    db: &D,
    (counts, oldest): &(Vec<OperationCount>, i64),
) -> Result<(), EngineError> {
    let insert = "INSERT INTO operation_usage AS u (day, operation, input, key_id, requests) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (day, operation, input, key_id) DO UPDATE SET requests = u.requests + excluded.requests";
    let requests = counts.iter().map(|it| i64::try_from(it.requests));
    let requests: Vec<i64> = requests.map(|it| it.unwrap_or(i64::MAX)).collect();
    let rows = counts
        .iter()
        .zip(&requests)
        .map(|(it, requests)| -> Vec<&dyn Parameter> {
            vec![&it.day, &it.operation, &it.input, &it.key_id, requests]
        });
    db.query_each(insert, &rows.collect::<Vec<_>>()).await?;
    let delete = "DELETE FROM operation_usage WHERE day < $1";
    db.query(delete, &[oldest]).await?;
    Ok(())
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
