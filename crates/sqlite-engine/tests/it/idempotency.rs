//! Idempotency keys: a repeated request gets the stored response for a day.

use std::cell::Cell;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Connection;
use sqlite_engine::{
    Created, Engine, EngineError, IdempotencyKeyReused, IdempotentRequest, REPLAY_PERIOD,
    run_idempotent,
};
use tempfile::TempDir;

use crate::fixture::{open, read_notes};

#[derive(Debug, PartialEq, Eq)]
enum NoteError {
    Rejected,
    KeyReused,
}

impl From<EngineError> for NoteError {
    fn from(error: EngineError) -> NoteError {
        panic!("the database failed: {error:?}")
    }
}

impl From<IdempotencyKeyReused> for NoteError {
    fn from(_: IdempotencyKeyReused) -> NoteError {
        NoteError::KeyReused
    }
}

fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn request() -> IdempotentRequest {
    IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createNote",
        key: "key".to_owned(),
        body_hash: [1; 32],
        now: noon(),
        expired: noon(),
    }
}

fn request_at(now: DateTime<Utc>) -> IdempotentRequest {
    IdempotentRequest {
        now,
        expired: now,
        ..request()
    }
}

/// Creates a note, and returns its id.
async fn create(
    engine: &Engine,
    request: impl Into<Option<IdempotentRequest>>,
) -> Result<Created<i64>, NoteError> {
    create_or(engine, request, |db| {
        db.execute("INSERT INTO notes (text) VALUES ('')", [])
            .map_err(EngineError::from)?;
        Ok(db.last_insert_rowid())
    })
    .await
}

async fn create_or(
    engine: &Engine,
    request: impl Into<Option<IdempotentRequest>>,
    work: impl Fn(&Connection) -> Result<i64, NoteError> + Send + 'static,
) -> Result<Created<i64>, NoteError> {
    let request = request.into();
    engine
        .write(move |db| run_idempotent(db, request.as_ref(), || work(db)))
        .await
}

fn created(record: i64) -> Result<Created<i64>, NoteError> {
    Ok(Created {
        record,
        replayed: false,
    })
}

fn replayed(record: i64) -> Result<Created<i64>, NoteError> {
    Ok(Created {
        record,
        replayed: true,
    })
}

#[tokio::test]
async fn repeated_request_returns_the_stored_record_and_writes_nothing() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    assert_eq!(create(&engine, request()).await, created(1));
    assert_eq!(create(&engine, request()).await, replayed(1));
    assert_eq!(read_notes(&engine).len(), 1);
    assert_eq!(create(&engine, None).await, created(2), "without a key");
}

#[tokio::test]
async fn concurrent_duplicates_create_one_record() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let before = engine.writer_stats().commits;
    // Joined on one thread, all are queued before the first reply is awaited.
    let duplicates = (0..32).map(|_| create(&engine, request()));
    let results = futures::future::join_all(duplicates).await;
    let firsts = results.iter().filter(|it| **it == created(1)).count();
    let replays = results.iter().filter(|it| **it == replayed(1)).count();
    assert_eq!((firsts, replays), (1, 31));
    let commits = engine.writer_stats().commits - before;
    assert!(commits < 32, "some share a batch, {commits} commits");
}

#[tokio::test]
async fn key_with_another_body_is_rejected() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    create(&engine, request()).await.unwrap();
    let other_body = IdempotentRequest {
        body_hash: [2; 32],
        ..request()
    };
    let rejected = create(&engine, other_body).await;
    assert_eq!(rejected, Err(NoteError::KeyReused));
}

#[tokio::test]
async fn key_of_another_caller_or_operation_is_another_key() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    create(&engine, request()).await.unwrap();
    let others = [
        IdempotentRequest {
            caller: "8".to_owned(),
            ..request()
        },
        IdempotentRequest {
            operation: "createPet",
            ..request()
        },
        IdempotentRequest {
            key: "Key".to_owned(),
            ..request()
        },
    ];
    for (id, other) in (2..).zip(others) {
        assert_eq!(create(&engine, other).await, created(id));
    }
}

#[tokio::test]
async fn failed_request_is_not_stored() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let rejected = create_or(&engine, request(), |_| Err(NoteError::Rejected)).await;
    assert_eq!(rejected, Err(NoteError::Rejected));
    assert_eq!(create(&engine, request()).await, created(1));
}

#[tokio::test]
async fn record_is_replayed_for_24_hours() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let at = |now| create(&engine, request_at(now));
    let expiry = noon() + REPLAY_PERIOD;
    let millisecond = TimeDelta::milliseconds(1);
    assert_eq!(REPLAY_PERIOD, TimeDelta::hours(24));
    assert_eq!(at(noon()).await, created(1));
    assert_eq!(at(expiry - millisecond).await, replayed(1));
    assert_eq!(at(expiry).await, created(2));
    assert_eq!(
        at(expiry + REPLAY_PERIOD - millisecond).await,
        replayed(2),
        "the new record has a period of its own"
    );
}

#[tokio::test]
async fn expired_records_are_deleted_by_later_requests() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let next = Cell::new(0);
    let create_at = |now| {
        let key = next.replace(next.get() + 1).to_string();
        create(
            &engine,
            IdempotentRequest {
                key,
                ..request_at(now)
            },
        )
    };
    let count_stored = || {
        let count = engine.read::<i64, EngineError>(|db| {
            let sql = "SELECT count(*) FROM idempotency_keys";
            Ok(db.query_row(sql, [], |row| row.get(0))?)
        });
        count.unwrap()
    };
    for _ in 0..20 {
        create_at(noon()).await.unwrap();
    }
    assert_eq!(count_stored(), 20);
    for _ in 0..10 {
        create_at(noon() + REPLAY_PERIOD).await.unwrap();
    }
    assert_eq!(count_stored(), 10);
}
