//! Idempotency keys: expired ones are deleted. What a repeated request gets on either engine, also in races, is tested with the
//! store of the petstore.

use std::error::Error;

use chrono::{DateTime, TimeDelta, Utc};
use postgres_engine::{
    EngineError, IDEMPOTENCY_KEYS_SQL, IdempotentRequest, PostgresEngine, Schema, run_idempotent,
};
use test_postgres::TestDatabase;

use crate::fixture::{SCHEMA, config};

const KEYED: Schema = Schema {
    migrations: &[SCHEMA.migrations[0], IDEMPOTENCY_KEYS_SQL],
    ..SCHEMA
};

fn request(key: &str, hour: i64) -> IdempotentRequest {
    let now = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(hour);
    IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createNote",
        key: key.to_owned(),
        body_hash: [1; 32],
        now,
        expired: now,
    }
}

#[tokio::test]
async fn expired_keys_are_deleted() {
    let database = need!(TestDatabase::create("expired_keys"));
    let config = config(database.url());
    let engine = PostgresEngine::open(KEYED, &config).await.unwrap();
    for (key, hour) in [("a", 0), ("b", 0), ("c", 30)] {
        let request = request(key, hour);
        let created = engine.write(&request, |db, request| {
            let create = async { Ok::<_, Box<dyn Error + Send + Sync>>(1) };
            Box::pin(run_idempotent(db, Some(request), create))
        });
        assert!(!created.await.unwrap().replayed);
    }
    let stored = engine.read(&(), |db, ()| {
        Box::pin(async move {
            let rows = db.query("SELECT key FROM idempotency_keys", &[]).await?;
            let keys = rows.iter().map(|row| row.get(0));
            keys.collect::<Result<Vec<String>, EngineError>>()
        })
    });
    assert_eq!(stored.await.unwrap(), ["c"]);
}
