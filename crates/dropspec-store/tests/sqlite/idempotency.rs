//! Idempotency keys: expired ones are deleted. What a repeated request gets on either engine is tested with the store of the
//! petstore.

use std::error::Error;

use chrono::{DateTime, Utc};
use dropspec_store::sqlite::run_idempotent;
use dropspec_store::{EngineError, IdempotentRequest, REPLAY_PERIOD};
use tempfile::TempDir;

use crate::fixture::open;

fn request(number: usize, now: DateTime<Utc>) -> IdempotentRequest {
    IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createNote",
        key: format!("{now} {number}"),
        body_hash: [1; 32],
        now,
        expired: now,
    }
}

#[tokio::test]
async fn expired_records_are_deleted_by_later_requests() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    for (requests, now, stored) in [
        (20, DateTime::UNIX_EPOCH, 20),
        (10, DateTime::UNIX_EPOCH + REPLAY_PERIOD, 10),
    ] {
        for number in 0..requests {
            let request = request(number, now);
            let created = engine.write(move |db| {
                run_idempotent(db, Some(&request), || {
                    Ok::<_, Box<dyn Error + Send + Sync>>(1)
                })
            });
            assert!(!created.await.unwrap().replayed);
        }
        let count = engine.read::<i64, EngineError>(|db| {
            let sql = "SELECT count(*) FROM idempotency_keys";
            Ok(db.query_row(sql, [], |row| row.get(0))?)
        });
        assert_eq!(count.unwrap(), stored);
    }
}
