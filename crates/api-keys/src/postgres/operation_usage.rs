//! The table `operation_usage`, to which all servers add.

use postgres_engine::EngineError;

use super::PostgresKeys;
use rate_limit::OperationCount;

/// Adds rows in their order, so that no two servers wait for each other.
const ADD: &str = "INSERT INTO operation_usage AS u (day, operation, input, key_id, requests)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
        AS new (day, operation, input, key_id, requests)
    ORDER BY day, operation COLLATE \"C\", input COLLATE \"C\", key_id
    ON CONFLICT (day, operation, input, key_id) DO UPDATE SET requests = u.requests + excluded.requests";

impl PostgresKeys {
    pub(crate) async fn add_operation_usage(
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
}
