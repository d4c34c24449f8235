//! The table `usage`, and with it the ledger of the limiter.

use rusqlite::{Connection, OptionalExtension, named_params};
use sqlite_engine::EngineError;

use super::table::{ApiKeys, read_ban};
use crate::rate_limit::{Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Now, Window};
use crate::storage_error::StorageError;

impl Ledger for ApiKeys {
    fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        let entry = self.engine.read(|db| {
            let ban = db
                .prepare_cached(
                    "SELECT strikes, banned_until, ban_epoch FROM api_keys WHERE id = ?",
                )
                .and_then(|mut select| select.query_row([key_id], read_ban).optional())
                .map_err(EngineError::from)?;
            Ok(LedgerEntry {
                minute: find_claim(db, key_id, Window::Minute)?,
                day: find_claim(db, key_id, Window::Day)?,
                ban: ban.unwrap_or_default(),
            })
        });
        entry.map_err(EngineError::into)
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let written = self.engine.write(move |db| {
            let now = now();
            adjustments
                .iter()
                .map(|adjustment| {
                    if adjustment.amount > 0 {
                        set_last_used(db, adjustment.key_id, now.wall)?;
                    }
                    adjust(db, adjustment, &now)
                })
                .collect()
        });
        written.await.map_err(EngineError::into)
    }

    async fn carry_over(&self, now: impl Fn() -> Now + Send + 'static) -> Result<(), StorageError> {
        let written = self.engine.write(move |db| {
            let now = now();
            let mut update = db.prepare_cached(
                "UPDATE usage SET start = :start
                 WHERE window = :window AND start BETWEEN :first AND :last AND start <> :start",
            )?;
            let mut delete =
                db.prepare_cached("DELETE FROM usage WHERE window = ? AND start > ?")?;
            for window in Window::ALL {
                let current = now.current(window);
                delete.execute((window.as_str(), current.end()))?;
                update.execute(named_params! {
                    ":window": window.as_str(),
                    ":start": now.start_of(window),
                    ":first": current.start(),
                    ":last": current.end(),
                })?;
            }
            Ok(())
        });
        written.await.map_err(EngineError::into)
    }

    fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let keys = self.engine.read(|db| {
            let mut select = db.prepare_cached(
                "SELECT id FROM api_keys WHERE banned_until > ? AND revoked_at IS NULL",
            )?;
            let keys = select.query_map([time], |row| row.get("id"))?;
            Ok::<_, EngineError>(keys.collect::<rusqlite::Result<_>>()?)
        });
        keys.map_err(EngineError::into)
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        let written = self.engine.write(move |db| {
            db.prepare_cached(
                "UPDATE api_keys SET strikes = :strikes, banned_until = :until
                 WHERE id = :id AND ban_epoch = :epoch",
            )?
            .execute(named_params! {
                ":id": key_id,
                ":strikes": ban.strikes,
                ":until": ban.until,
                ":epoch": ban.epoch,
            })?;
            Ok(())
        });
        written.await.map_err(EngineError::into)
    }
}

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

fn adjust(db: &Connection, adjustment: &Adjustment, now: &Now) -> Result<Adjusted, EngineError> {
    let stored = find_claim(db, adjustment.key_id, adjustment.window)?;
    let before = match stored {
        Some(stored) if now.current(adjustment.window).contains(&stored.start) => stored.claimed,
        // The claims of an earlier window ended with it.
        Some(_) | None => 0,
    };
    let change = adjustment.amount.unsigned_abs();
    let (claimed, granted) = if adjustment.amount < 0 {
        (before.saturating_sub(change), 0)
    } else {
        let granted = change.min(adjustment.limit.saturating_sub(before));
        (before + granted, granted)
    };
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
    Ok(Adjusted { claim, granted })
}

/// Stores the time of a key's last use. Only claims of requests update it, as a write for each request would cost too
/// much.
fn set_last_used(db: &Connection, key_id: i64, now: i64) -> Result<(), EngineError> {
    db.prepare_cached("UPDATE api_keys SET last_used_at = ? WHERE id = ?")?
        .execute([now, key_id])?;
    Ok(())
}

#[cfg(test)]
mod tests;
