//! The table `usage`: what is claimed of each key's windows. It keeps the limiter's books; what may be spent is decided
//! there.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::auth::KeyUsage;
use crate::rate_limit::{Adjusted, Adjustment, Ban, Held, KeyLedger, Ledger, Window};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::keys;

impl Store {
    /// What is claimed of a key's windows; nothing if there is no such key.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn key_usage(&self, key_id: i64) -> Result<KeyUsage, StoreError> {
        self.read(|db| usage(db, key_id))
    }
}

impl Ledger for Store {
    fn key_ledger(&self, key_id: i64) -> Result<KeyLedger, StoreError> {
        self.read(|db| {
            let KeyUsage { minute, day } = usage(db, key_id)?;
            let ban = db
                .prepare_cached(
                    "SELECT strikes, banned_until, ban_epoch FROM api_keys WHERE id = ?",
                )?
                .query_row([key_id], keys::ban)
                .optional()?;
            Ok(KeyLedger {
                minute,
                day,
                ban: ban.unwrap_or_default(),
            })
        })
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: i64,
    ) -> Result<Vec<Adjusted>, StoreError> {
        self.write(move |db| {
            adjustments
                .iter()
                .map(|adjustment| {
                    if adjustment.amount > 0 {
                        touch(db, adjustment.key_id, now)?;
                    }
                    Ok(adjust(db, adjustment)?)
                })
                .collect()
        })
        .await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StoreError> {
        self.write(move |db| {
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
        })
        .await
    }
}

fn usage(db: &Connection, key_id: i64) -> Result<KeyUsage, StoreError> {
    Ok(KeyUsage {
        minute: held(db, key_id, Window::Minute)?,
        day: held(db, key_id, Window::Day)?,
    })
}

fn held(db: &Connection, key_id: i64, window: Window) -> rusqlite::Result<Option<Held>> {
    db.prepare_cached("SELECT start, claimed FROM usage WHERE key_id = ? AND window = ?")?
        .query_row((key_id, window.as_str()), |row| {
            Ok(Held {
                start: row.get("start")?,
                claimed: row.get("claimed")?,
            })
        })
        .optional()
}

fn adjust(db: &Connection, wish: &Adjustment) -> rusqlite::Result<Adjusted> {
    let kept = held(db, wish.key_id, wish.window)?;
    let before = match kept {
        Some(kept) if kept.start > wish.start => {
            return Ok(Adjusted {
                held: kept,
                granted: 0,
            });
        }
        Some(kept) if kept.start == wish.start => kept.claimed,
        // What was claimed of an earlier window went with it.
        Some(_) | None => 0,
    };
    let change = wish.amount.unsigned_abs();
    let (claimed, granted) = if wish.amount < 0 {
        (before.saturating_sub(change), 0)
    } else {
        let granted = change.min(wish.limit.saturating_sub(before));
        (before + granted, granted)
    };
    let held = Held {
        start: wish.start,
        claimed,
    };
    if kept != Some(held) {
        db.prepare_cached(
            "INSERT INTO usage (key_id, window, start, claimed)
             VALUES (:key_id, :window, :start, :claimed)
             ON CONFLICT (key_id, window) DO UPDATE SET start = excluded.start, claimed = excluded.claimed",
        )?
        .execute(named_params! {
            ":key_id": wish.key_id,
            ":window": wish.window.as_str(),
            ":start": held.start,
            ":claimed": held.claimed,
        })?;
    }
    Ok(Adjusted { held, granted })
}

/// Notes that a key was used. Only claims are noted, as a write for each request would cost more than it tells.
fn touch(db: &Connection, key_id: i64, now: i64) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE api_keys SET last_used_at = :now
         WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :now)",
    )?
    .execute(named_params! { ":id": key_id, ":now": now })?;
    Ok(())
}

#[cfg(test)]
mod tests;
