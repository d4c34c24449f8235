//! Idempotency keys: what is stored, and for how long. What a repeated request gets on either engine is tested with the store of
//! the petstore.

use chrono::{DateTime, TimeDelta, Utc};
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

fn request(key: &str, body: u8, now: DateTime<Utc>) -> IdempotentRequest {
    IdempotentRequest {
        caller: "7".to_owned(),
        operation: "createNote",
        key: key.to_owned(),
        body_hash: [body; 32],
        now,
        expired: now,
    }
}

/// Creates a note unless it is rejected, and returns its id, and whether it was created before.
async fn create(
    engine: &Engine,
    request: IdempotentRequest,
    is_rejected: bool,
) -> Result<(i64, bool), NoteError> {
    let work = engine.write(move |db| {
        run_idempotent(db, Some(&request), || {
            if is_rejected {
                return Err(NoteError::Rejected);
            }
            db.execute("INSERT INTO notes (text) VALUES ('')", [])
                .map_err(EngineError::from)?;
            Ok(db.last_insert_rowid())
        })
    });
    let Created { record, replayed } = work.await?;
    Ok((record, replayed))
}

#[tokio::test]
async fn record_is_stored_for_24_hours_with_its_write() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let noon: DateTime<Utc> = "2026-11-21T12:00:00Z".parse().unwrap();
    let (expiry, millisecond) = (noon + REPLAY_PERIOD, TimeDelta::milliseconds(1));
    assert_eq!(REPLAY_PERIOD, TimeDelta::hours(24));
    let rejected = create(&engine, request("a", 1, noon), true).await;
    assert_eq!(rejected, Err(NoteError::Rejected), "and not stored");
    for (key, body, now, expected) in [
        ("a", 1, noon, Ok((1, false))),
        ("a", 1, expiry - millisecond, Ok((1, true))),
        ("a", 2, expiry - millisecond, Err(NoteError::KeyReused)),
        ("A", 2, noon, Ok((2, false))),
        ("a", 2, expiry, Ok((3, false))),
        ("a", 2, expiry + REPLAY_PERIOD - millisecond, Ok((3, true))),
    ] {
        let found = create(&engine, request(key, body, now), false).await;
        assert_eq!(found, expected, "{key} {body} {now}");
    }
    for (caller, operation, id) in [("8", "createNote", 4), ("7", "createPet", 5)] {
        let other = IdempotentRequest {
            caller: caller.to_owned(),
            operation,
            ..request("a", 2, expiry)
        };
        assert_eq!(create(&engine, other, false).await, Ok((id, false)));
    }
    assert_eq!(read_notes(&engine).len(), 5);
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
            let key = format!("{now} {number}");
            create(&engine, request(&key, 1, now), false).await.unwrap();
        }
        let count = engine.read::<i64, EngineError>(|db| {
            let sql = "SELECT count(*) FROM idempotency_keys";
            Ok(db.query_row(sql, [], |row| row.get(0))?)
        });
        assert_eq!(count.unwrap(), stored);
    }
}
