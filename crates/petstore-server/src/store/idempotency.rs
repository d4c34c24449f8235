//! The table `idempotency_keys`: a request that is repeated with its key gets the answer of the first time.
//!
//! The answer is stored in the transaction of the write itself, so there is never one without the other. The one
//! writer runs a duplicate after the first, so the duplicate in flight finds the answer too.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OptionalExtension, named_params};

use crate::refusal::Refusal;
use crate::store::answer::Answer;
use crate::store::error::StoreError;

/// How long an answer is kept.
pub const KEPT_FOR: TimeDelta = TimeDelta::hours(24);

/// Most expired rows that one write with a key removes. More than the one it adds, so that they dwindle.
const PRUNED_AT_ONCE: i64 = 8;

/// The idempotency key of a request, and what it takes to know the request again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// Whose key it is: the id of the API key.
    pub caller: String,
    /// The operationId.
    pub operation: &'static str,
    /// The `Idempotency-Key` as it was sent.
    pub key: String,
    /// The body, as [`canonical_body_hash`](crate::store::canonical_body_hash) gives it.
    pub body: [u8; 32],
    /// The time of the request.
    pub now: DateTime<Utc>,
}

/// A record that was created, now or when the request came first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created<T> {
    /// The record as it was when it was created.
    pub record: T,
    /// Whether this is the answer to an earlier request, given again.
    pub replayed: bool,
}

/// Creates a record, unless a request with the same key did so before: then its answer is given again.
pub(super) fn once<T: Answer>(
    db: &Connection,
    idempotency: Option<Idempotency>,
    create: impl FnOnce() -> Result<T, StoreError>,
) -> Result<Created<T>, StoreError> {
    let Some(idempotency) = idempotency else {
        return Ok(Created {
            record: create()?,
            replayed: false,
        });
    };
    match find(db, &idempotency)? {
        Some((body, answer)) if body == idempotency.body => Ok(Created {
            record: T::from_json(&answer).map_err(StoreError::internal)?,
            replayed: true,
        }),
        Some(_) => Err(Refusal::IdempotencyKeyReused.into()),
        None => {
            let record = create()?;
            let answer = record.to_json().map_err(StoreError::internal)?;
            save(db, &idempotency, &answer)?;
            prune(db, idempotency.now)?;
            Ok(Created {
                record,
                replayed: false,
            })
        }
    }
}

/// The body and the answer stored under a key. What has expired counts as absent.
fn find(
    db: &Connection,
    idempotency: &Idempotency,
) -> rusqlite::Result<Option<([u8; 32], String)>> {
    db.prepare_cached(
        "SELECT body, answer FROM idempotency_keys
         WHERE caller = :caller AND operation = :operation AND key = :key AND expires_at > :now",
    )?
    .query_row(
        named_params! {
            ":caller": idempotency.caller, ":operation": idempotency.operation, ":key": idempotency.key,
            ":now": idempotency.now.timestamp_millis(),
        },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .optional()
}

/// Stores an answer, in the place of an expired one if there is one.
fn save(db: &Connection, idempotency: &Idempotency, answer: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO idempotency_keys (caller, operation, key, body, answer, expires_at)
         VALUES (:caller, :operation, :key, :body, :answer, :expires_at)
         ON CONFLICT (caller, operation, key)
         DO UPDATE SET body = excluded.body, answer = excluded.answer, expires_at = excluded.expires_at",
    )?
    .execute(named_params! {
        ":caller": idempotency.caller, ":operation": idempotency.operation, ":key": idempotency.key,
        ":body": idempotency.body, ":answer": answer,
        ":expires_at": (idempotency.now + KEPT_FOR).timestamp_millis(),
    })
    .map(|_| ())
}

fn prune(db: &Connection, now: DateTime<Utc>) -> rusqlite::Result<()> {
    db.prepare_cached(
        "DELETE FROM idempotency_keys WHERE id IN
         (SELECT id FROM idempotency_keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
    )?
    .execute([now.timestamp_millis(), PRUNED_AT_ONCE])
    .map(|_| ())
}
