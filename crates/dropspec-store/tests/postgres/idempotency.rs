//! Idempotency keys: replayed until they expire, reused never, and exact in races between engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use chrono::{DateTime, TimeDelta, Utc};
use dropspec_store::postgres::{IDEMPOTENCY_KEYS_SQL, PostgresEngine, Schema, run_idempotent};
use dropspec_store::{Created, EngineError, IdempotencyKeyReused, IdempotentRequest};
use futures::future::join_all;
use test_postgres::TestDatabase;

use crate::fixture::{SCHEMA, config};

const KEYED: Schema = Schema {
    migrations: &[SCHEMA.migrations[0], &[IDEMPOTENCY_KEYS_SQL]],
    ..SCHEMA
};

/// Shown by the tests that fail.
#[derive(Debug)]
#[allow(dead_code)]
enum NoteError {
    Reused,
    Taken,
    Engine(EngineError),
}

impl From<EngineError> for NoteError {
    fn from(error: EngineError) -> NoteError {
        NoteError::Engine(error)
    }
}

impl From<IdempotencyKeyReused> for NoteError {
    fn from(_: IdempotencyKeyReused) -> NoteError {
        NoteError::Reused
    }
}

static NEXT: AtomicI64 = AtomicI64::new(1);

/// Creates the only note, unless it exists.
async fn create(
    engine: &PostgresEngine,
    request: &IdempotentRequest,
) -> Result<Created<i64>, NoteError> {
    let work = engine.write(request, |db, request| {
        Box::pin(run_idempotent(db, Some(request), async move {
            let taken = db.query("SELECT 1 FROM notes", &[]).await?;
            if !taken.is_empty() {
                return Err(NoteError::Taken);
            }
            let id = NEXT.fetch_add(1, SeqCst);
            db.query("INSERT INTO notes VALUES ($1, 'the only one')", &[&id])
                .await?;
            Ok(id)
        }))
    });
    work.await
}

fn request(key: &str, body: u8, hour: i64) -> IdempotentRequest {
    let now = DateTime::<Utc>::UNIX_EPOCH + TimeDelta::hours(hour);
    IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createNote",
        key: key.to_owned(),
        body_hash: [body; 32],
        now,
        expired: now,
    }
}

async fn open(database: &TestDatabase) -> PostgresEngine {
    PostgresEngine::open(KEYED, &config(database.url()))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_duplicates_on_two_engines_get_the_same_response() {
    let database = need!(TestDatabase::create("concurrent_duplicates"));
    let engines = [
        Arc::new(open(&database).await),
        Arc::new(open(&database).await),
    ];
    for round in 0..5 {
        database.execute("DELETE FROM notes");
        let calls = (0..24).map(|caller| {
            let engine = Arc::clone(&engines[caller % 2]);
            let request = request(&format!("round {round}"), 1, 0);
            tokio::spawn(async move { create(&engine, &request).await })
        });
        let responses = join_all(calls).await;
        let responses: Vec<Created<i64>> = responses
            .into_iter()
            .map(|it| it.unwrap().unwrap())
            .collect();
        assert_eq!(responses.iter().filter(|it| !it.replayed).count(), 1);
        assert!(responses.iter().all(|it| it.record == responses[0].record));
    }
}

#[tokio::test]
async fn expired_keys_are_deleted() {
    let database = need!(TestDatabase::create("expired_keys"));
    let engine = open(&database).await;
    for (key, hour) in [("a", 0), ("b", 0), ("c", 30)] {
        database.execute("DELETE FROM notes");
        create(&engine, &request(key, 1, hour)).await.unwrap();
    }
    let stored = engine.read(&(), |db, ()| {
        Box::pin(async move {
            let rows = db.query("SELECT key FROM idempotency_keys", &[]).await?;
            rows.iter()
                .map(|row| row.get(0))
                .collect::<Result<Vec<String>, EngineError>>()
        })
    });
    assert_eq!(stored.await.unwrap(), ["c"]);
}
