//! Adjustments in the table `usage` of a file, which one server uses.

use rate_limit::{Adjusted, Adjustment, Claim, Now, Window};
use rusqlite::{Connection, OptionalExtension, named_params};
use sqlite_engine::EngineError;

fn find_claim(db: &Connection, key_id: i64, window: Window) -> Result<Option<Claim>, EngineError> {
    db.prepare_cached("SELECT start, claimed FROM usage WHERE key_id = ? AND window = ?")?
        .query_row((key_id, window.as_str()), |row| {
            Ok(Claim {
                start: row.get("start")?,
                claimed: row.get("claimed")?,
            })
        })
        .optional()
        .map_err(EngineError::from)
}

pub(crate) fn adjust(
    db: &Connection,
    adjustment: &Adjustment,
    now: &Now,
) -> Result<Adjusted, EngineError> {
    let stored = find_claim(db, adjustment.key_id, adjustment.window)?;
    let before = match stored {
        Some(stored) if now.current(adjustment.window).contains(&stored.start) => stored.claimed,
        // The claims of an earlier window ended with it.
        Some(_) | None => 0,
    };
    let claimed = adjustment.apply(before);
    let claim = Claim {
        start: now.start_of(adjustment.window),
        claimed,
    };
    if stored != Some(claim) {
        db.prepare_cached(
            "INSERT INTO usage (key_id, window, start, claimed)
             VALUES (:key_id, :window, :start, :claimed)
             ON CONFLICT (key_id, window) DO UPDATE SET start = excluded.start, claimed = excluded.claimed",
        )?
        .execute(named_params! {
            ":key_id": adjustment.key_id,
            ":window": adjustment.window.as_str(),
            ":start": claim.start,
            ":claimed": claim.claimed,
        })?;
    }
    Ok(Adjusted::unshared(claim, claimed.saturating_sub(before)))
}

/// Stores the time of a key's last use. Only claims of requests update it, as a write for each request would cost too
/// much.
pub(crate) fn set_last_used(db: &Connection, key_id: i64, now: i64) -> Result<(), EngineError> {
    db.prepare_cached("UPDATE api_keys SET last_used_at = ? WHERE id = ?")?
        .execute([now, key_id])?;
    Ok(())
}
