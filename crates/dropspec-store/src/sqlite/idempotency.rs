//! The table `idempotency_keys`: a request repeated with its idempotency key gets the stored response.
//!
//! The response is stored in the transaction of the write itself, so neither exists without the other. The one writer
//! runs a duplicate after the first request, so a concurrent duplicate finds the response, too.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Created, EngineError, IdempotencyKeyReused, IdempotentRequest, REPLAY_PERIOD};

/// The SQL of the migration that creates the table `idempotency_keys`. It is released, so it must not change.
pub const IDEMPOTENCY_KEYS_SQL: &str = include_str!("../../migrations/sqlite/idempotency_keys.sql");

/// Runs `create`, and stores its record under the idempotency key of `request`. If an earlier request with the key
/// stored a record, returns that one and does not run `create`.
///
/// If `request` is `None`, nothing is stored. A failure of `create` is not stored.
///
/// # Errors
///
/// Those of `create` and of the database; [`IdempotencyKeyReused`].
pub fn run_idempotent<T, E>(
    db: &Connection,
    request: Option<&IdempotentRequest>,
    create: impl FnOnce() -> Result<T, E>,
) -> Result<Created<T>, E>
where
    T: Serialize + DeserializeOwned,
    E: From<EngineError> + From<IdempotencyKeyReused>,
{
    let Some(request) = request else {
        return Ok(Created {
            record: create()?,
            replayed: false,
        });
    };
    match find_stored(db, request).map_err(EngineError::from)? {
        Some((body_hash, record)) if body_hash == request.body_hash => Ok(Created {
            record: serde_json::from_str(&record).map_err(EngineError::internal)?,
            replayed: true,
        }),
        Some(_) => Err(IdempotencyKeyReused.into()),
        None => {
            let record = create()?;
            let json = serde_json::to_string(&record).map_err(EngineError::internal)?;
            store_record(db, request, &json).map_err(EngineError::from)?;
            delete_expired(db, request.expired).map_err(EngineError::from)?;
            Ok(Created {
                record,
                replayed: false,
            })
        }
    }
}

/// Finds the body hash and the record stored under the idempotency key of `request`. An expired row counts as absent.
fn find_stored(
    db: &Connection,
    request: &IdempotentRequest,
) -> rusqlite::Result<Option<([u8; 32], String)>> {
    db.prepare_cached(
        "SELECT body, answer FROM idempotency_keys
         WHERE caller = :caller AND operation = :operation AND key = :key AND expires_at > :expired",
    )?
    .query_row(
        named_params! {
            ":caller": request.caller, ":operation": request.operation, ":key": request.key,
            ":expired": request.expired.timestamp_millis(),
        },
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .optional()
}

/// Stores a record, as JSON, under the idempotency key of `request`. Replaces an expired row.
fn store_record(
    db: &Connection,
    request: &IdempotentRequest,
    record: &str,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO idempotency_keys (caller, operation, key, body, answer, expires_at)
         VALUES (:caller, :operation, :key, :body, :answer, :expires_at)
         ON CONFLICT (caller, operation, key)
         DO UPDATE SET body = excluded.body, answer = excluded.answer, expires_at = excluded.expires_at",
    )?
    .execute(named_params! {
        ":caller": request.caller, ":operation": request.operation, ":key": request.key,
        ":body": request.body_hash, ":answer": record,
        ":expires_at": (request.now + REPLAY_PERIOD).timestamp_millis(),
    })
    .map(|_| ())
}

/// Deletes at most eight expired idempotency keys with their stored records. A write adds only one, so their number falls.
///
/// There are rarely any, and to look for them first costs less than a `DELETE` with a subquery.
fn delete_expired(db: &Connection, expired: DateTime<Utc>) -> rusqlite::Result<()> {
    let mut select = db.prepare_cached(
        "SELECT id FROM idempotency_keys WHERE expires_at <= ?1 ORDER BY expires_at LIMIT 8",
    )?;
    let ids = select
        .query_map([expired.timestamp_millis()], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    for id in ids {
        db.prepare_cached("DELETE FROM idempotency_keys WHERE id = ?1")?
            .execute([id])?;
    }
    Ok(())
}
