//! The table `operation_usage`, to which all servers add.

use postgres_engine::EngineError;

use super::PostgresKeys;
use crate::keys::operation_usage::KeyCount;
use crate::rate_limit::OperationCount;

/// Adds rows in their order, so that no two servers wait for each other.
const ADD: &str = "INSERT INTO operation_usage AS u (day, operation, input, key_id, requests)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
        AS new (day, operation, input, key_id, requests)
    ORDER BY day, operation COLLATE \"C\", input COLLATE \"C\", key_id
    ON CONFLICT (day, operation, input, key_id) DO UPDATE SET requests = u.requests + excluded.requests";

const READ: &str = "SELECT u.day, u.operation, u.input, u.key_id, u.requests, k.name
    FROM operation_usage u LEFT JOIN api_keys k ON k.id = u.key_id
    WHERE u.day >= $1 ORDER BY u.operation, u.input, u.key_id, u.day";

impl PostgresKeys {
    pub(in crate::keys) async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), EngineError> {
        let input = (counts, oldest);
        let write = self.engine.write(&input, |db, (counts, oldest)| {
            Box::pin(async move {
                let days: Vec<i64> = counts.iter().map(|it| it.day).collect();
                let operations: Vec<&str> = counts.iter().map(|it| &*it.operation).collect();
                let inputs: Vec<&str> = counts.iter().map(|it| &*it.input).collect();
                let keys: Vec<i64> = counts.iter().map(|it| it.key_id).collect();
                let requests = counts.iter().map(|it| i64::try_from(it.requests));
                let requests: Vec<i64> = requests.map(|it| it.unwrap_or(i64::MAX)).collect();
                db.query_all([
                    (ADD, &[&days, &operations, &inputs, &keys, &requests]),
                    ("DELETE FROM operation_usage WHERE day < $1", &[oldest]),
                ])
                .await
                .map(drop)
            })
        });
        write.await
    }

    pub(in crate::keys) async fn read_operation_usage(
        &self,
        first_day: i64,
    ) -> Result<Vec<KeyCount>, EngineError> {
        let read = self.engine.read(&first_day, |db, first_day| {
            Box::pin(async move { db.query(READ, &[first_day]).await })
        });
        let rows = read.await?;
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
}
