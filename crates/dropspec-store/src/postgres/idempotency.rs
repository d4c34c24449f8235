//! The table `idempotency_keys`: a request repeated with its idempotency key gets the stored response.
//!
//! The response is stored in the transaction of the write itself, so neither exists without the other. A duplicate that runs at
//! the same time, on this server or another, waits for the first request by an advisory lock, and then finds its response.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::postgres::db::{Db, at_most_one};
use crate::{Created, EngineError, IdempotencyKeyReused, IdempotentRequest, REPLAY_PERIOD};

/// The SQL of the migration that creates the table `idempotency_keys`. It is released, so it must not change.
pub const IDEMPOTENCY_KEYS_SQL: &str =
    include_str!("../../migrations/postgres/idempotency_keys.sql");

/// Runs `create`, and stores its record under the idempotency key of `request`. If an earlier request with the key
/// stored a record, returns that one and does not run `create`.
///
/// If `request` is `None`, nothing is stored. A failure of `create` is not stored.
///
/// # Errors
///
/// Those of `create` and of the database; [`IdempotencyKeyReused`].
pub async fn run_idempotent<T, E>(
    db: &Db,
    request: Option<&IdempotentRequest>,
    create: impl Future<Output = Result<T, E>>,
) -> Result<Created<T>, E>
where
    T: Serialize + DeserializeOwned,
    E: From<EngineError> + From<IdempotencyKeyReused>,
{
    let Some(request) = request else {
        return Ok(Created {
            record: create.await?,
            replayed: false,
        });
    };
    match lock_and_find(db, request).await? {
        Some((body_hash, record)) if body_hash == request.body_hash => Ok(Created {
            record: serde_json::from_str(&record).map_err(EngineError::internal)?,
            replayed: true,
        }),
        Some(_) => Err(IdempotencyKeyReused.into()),
        None => {
            let record = create.await?;
            let json = serde_json::to_string(&record).map_err(EngineError::internal)?;
            store(db, request, &json).await?;
            Ok(Created {
                record,
                replayed: false,
            })
        }
    }
}

/// Waits for other requests with the key, and finds the body hash and the record stored under it. An expired row counts as
/// absent.
async fn lock_and_find(
    db: &Db,
    request: &IdempotentRequest,
) -> Result<Option<(Vec<u8>, String)>, EngineError> {
    let [_, found] = db
        .query_all([
            ("SELECT pg_advisory_xact_lock($1)", &[&lock_number(request)]),
            (
                "SELECT body, answer FROM idempotency_keys
                 WHERE caller = $1 AND operation = $2 AND key = $3 AND expires_at > $4",
                &[
                    &request.caller,
                    &request.operation,
                    &request.key,
                    &request.expired.timestamp_millis(),
                ],
            ),
        ])
        .await?;
    let found = at_most_one(found)?;
    found.map(|row| Ok((row.get(0)?, row.get(1)?))).transpose()
}

/// Stores a record, as JSON, under the idempotency key of `request`, in place of an expired row. Deletes at most eight
/// expired rows: a write adds only one, so their number falls. Rows that another transaction deletes are skipped.
async fn store(db: &Db, request: &IdempotentRequest, record: &str) -> Result<(), EngineError> {
    let end: DateTime<Utc> = request.now + REPLAY_PERIOD;
    db.query_all([
        (
            "INSERT INTO idempotency_keys (caller, operation, key, body, answer, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (caller, operation, key)
             DO UPDATE SET body = excluded.body, answer = excluded.answer, expires_at = excluded.expires_at",
            &[
                &request.caller,
                &request.operation,
                &request.key,
                &request.body_hash.as_slice(),
                &record,
                &end.timestamp_millis(),
            ],
        ),
        (
            "DELETE FROM idempotency_keys WHERE id IN (
                 SELECT id FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT 8
                 FOR UPDATE SKIP LOCKED
             )",
            &[&request.expired.timestamp_millis()],
        ),
    ])
    .await
    .map(|_| ())
}

/// The number of the advisory lock of an idempotency key. Two keys with the same number only wait for each other.
fn lock_number(request: &IdempotentRequest) -> i64 {
    let mut hash = Sha256::new();
    for part in [&request.caller, request.operation, &request.key] {
        // With its length, so that the parts cannot run into each other.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let hash = hash.finalize();
    hash.iter()
        .take(8)
        .fold(0, |number, byte| (number << 8) | i64::from(*byte))
}
