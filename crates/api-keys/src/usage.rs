//! The table `usage`, and with it the ledger of the limiter.

use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

use rusqlite::named_params;
use sqlite_engine::EngineError;

use super::claims::{adjust, set_last_used};
use super::db::{Db, Sqlite, read, run};
use super::engine_error::to_storage_error;
use super::lost_credit::read_credit;
use super::table::{ApiKeys, Tables};
use rate_limit::storage_error::StorageError;
use rate_limit::{
    Adjusted, Adjustment, Ban, Claim, CreditRecord, Ledger, LedgerEntry, Notice, Now,
    OperationCount, Window,
};

/// Keys are in the database. Other principals, whose ids are below 0 ([`Account::of_subject`]), are in memory.
///
/// [`Account::of_subject`]: rate_limit::Account::of_subject
impl Ledger for ApiKeys {
    fn is_shared(&self) -> bool {
        !matches!(self.tables, Tables::Sqlite(_))
    }

    fn now(&self) -> Option<i64> {
        match &self.tables {
            Tables::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.now(),
        }
    }

    async fn next_notice(&self) -> Notice {
        match &self.tables {
            Tables::Sqlite(_) => std::future::pending().await,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.next_notice().await,
        }
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        if key_id < 0 {
            return self.subjects.read_entry(key_id).await;
        }
        let entry = read!(self.tables, key_id, read_entry);
        entry.map_err(to_storage_error)
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        match &self.tables {
            Tables::Sqlite(engine) => engine.read(read_credit).map_err(to_storage_error),
            #[cfg(feature = "postgres")]
            Tables::Postgres(_) => Ok(CreditRecord::default()),
        }
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        let engine = match &self.tables {
            Tables::Sqlite(engine) => engine,
            #[cfg(feature = "postgres")]
            Tables::Postgres(_) => return Ok(()),
        };
        let written = engine.write(move |db| {
            let mut insert = db.prepare_cached(
                "INSERT OR REPLACE INTO credit (window, is_open, start, crashes)
                 VALUES (:window, :is_open, :start, :crashes)",
            )?;
            for (window, crashes) in [(Window::Minute, record.minute), (Window::Day, record.day)] {
                insert.execute(named_params! {
                    ":window": window.as_str(),
                    ":is_open": record.is_open,
                    ":start": crashes.map_or(0, |it| it.start),
                    ":crashes": crashes.map_or(0, |it| it.claimed),
                })?;
            }
            Ok::<_, EngineError>(())
        });
        written.await.map_err(to_storage_error)
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        if adjustments.iter().any(is_subject) {
            // Boxed, so that the common case stays small.
            Box::pin(self.adjust_keys_and_subjects(adjustments, now)).await
        } else {
            self.adjust_keys(adjustments, now).await
        }
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        let now = Arc::new(now);
        let of_subjects = Arc::clone(&now);
        self.subjects.carry_over(move || of_subjects()).await?;
        let engine = sqlite_or_return!(self.tables, keys => keys.carry_over(move || now()));
        let written = engine.write(move |db| {
            let now = now();
            let mut update = db.prepare_cached(
                "UPDATE usage SET start = :start
                 WHERE window = :window AND start BETWEEN :first AND :last AND start <> :start",
            )?;
            let mut delete =
                db.prepare_cached("DELETE FROM usage WHERE window = ? AND start > ?")?;
            let mut update_credit = db.prepare_cached(
                "UPDATE credit SET start = :start, crashes = iif(start <= :last, crashes, 0)
                 WHERE window = :window AND start >= :first AND start <> :start",
            )?;
            for window in Window::ALL {
                let current = now.current(window);
                delete.execute((window.as_str(), current.end()))?;
                let parameters = named_params! {
                    ":window": window.as_str(),
                    ":start": now.start_of(window),
                    ":first": current.start(),
                    ":last": current.end(),
                };
                update.execute(parameters)?;
                update_credit.execute(parameters)?;
            }
            Ok(())
        });
        written.await.map_err(to_storage_error)
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let mut banned = self.subjects.read_banned(time).await?;
        let keys = read!(self.tables, time, read_banned);
        banned.extend(keys.map_err(to_storage_error)?);
        Ok(banned)
    }

    async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        ApiKeys::add_operation_usage(self, counts, oldest).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        if key_id < 0 {
            return self.subjects.record_ban(key_id, ban).await;
        }
        let engine = sqlite_or_return!(self.tables, keys => keys.record_ban(key_id, ban));
        let written = engine.write(move |db| {
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
        written.await.map_err(to_storage_error)
    }
}

impl ApiKeys {
    /// Sets how long a claim waits the last time for servers that do not give back what they hold. For tests, which may run
    /// on a busy machine.
    #[cfg(feature = "postgres")]
    #[must_use]
    pub fn with_last_wait(mut self, last_wait: Duration) -> ApiKeys {
        if let Tables::Postgres(keys) = &mut self.tables {
            keys.last_wait = last_wait;
        }
        self
    }

    /// Stores the times of last use of keys (Unix seconds), for a ledger that is elsewhere.
    pub async fn store_last_use(&self, used: Vec<(i64, i64)>) -> Result<(), StorageError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.store_last_use(used));
        let written = engine.write(move |db| {
            let mut update = db.prepare_cached(
                "UPDATE api_keys SET last_used_at = :time WHERE id = :id AND last_used_at IS NOT :time",
            )?;
            for (id, time) in &used {
                update.execute(named_params! { ":id": id, ":time": time })?;
            }
            Ok::<_, EngineError>(())
        });
        written.await.map_err(to_storage_error)
    }

    /// Makes adjustments of keys, in one transaction.
    async fn adjust_keys(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let engine = sqlite_or_return!(self.tables, keys => keys.adjust(adjustments, now));
        let written = engine.write(move |db| {
            let now = now();
            adjustments
                .iter()
                .map(|adjustment| {
                    let claims = adjustment.amount > 0;
                    if claims
                        || (adjustment.last_seen.is_some() && adjustment.window == Window::Day)
                    {
                        let last_used = adjustment.last_seen.unwrap_or(now.wall);
                        set_last_used(db, adjustment.key_id, last_used)?;
                    }
                    adjust(db, adjustment, &now)
                })
                .collect()
        });
        written.await.map_err(to_storage_error)
    }

    /// Makes adjustments of keys and of other principals.
    async fn adjust_keys_and_subjects(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let now = Arc::new(now);
        let of_subjects = Arc::clone(&now);
        let order: Vec<bool> = adjustments.iter().map(is_subject).collect();
        let (subjects, keys): (Vec<_>, Vec<_>) = adjustments.into_iter().partition(is_subject);
        // Keys first: if the database fails, nothing was adjusted.
        let keys = if keys.is_empty() {
            Vec::new()
        } else {
            self.adjust_keys(keys, move || now()).await?
        };
        let subjects = self
            .subjects
            .adjust(subjects, move || of_subjects())
            .await?;
        let (mut keys, mut subjects) = (keys.into_iter(), subjects.into_iter());
        let adjusted = order.into_iter().filter_map(|is_subject| {
            if is_subject {
                subjects.next()
            } else {
                keys.next()
            }
        });
        Ok(adjusted.collect())
    }
}

fn is_subject(adjustment: &Adjustment) -> bool {
    adjustment.key_id < 0
}

/// One statement reads all of it, as it is read for every key that is not in memory.
async fn read_entry<D: Db>(db: &D, key_id: &i64) -> Result<LedgerEntry, EngineError> {
    let select =
        "SELECT m.start, m.claimed, d.start, d.claimed, k.strikes, k.banned_until, k.ban_epoch
        FROM api_keys k
        LEFT JOIN usage m ON m.key_id = k.id AND m.\"window\" = 'minute'
        LEFT JOIN usage d ON d.key_id = k.id AND d.\"window\" = 'day'
        WHERE k.id = $1";
    let rows = db.query(select, &[key_id]).await?;
    let Some(row) = rows.first() else {
        return Ok(LedgerEntry::default());
    };
    let claim = |first: usize| {
        let start: Option<i64> = row.get(first)?;
        let claim = start.map(|start| {
            let claimed = row.get_count(first + 1)?;
            Ok::<_, EngineError>(Claim { start, claimed })
        });
        claim.transpose()
    };
    Ok(LedgerEntry {
        minute: claim(0)?,
        day: claim(2)?,
        ban: row.get_ban(4)?,
    })
}

async fn read_banned<D: Db>(db: &D, time: &i64) -> Result<Vec<i64>, EngineError> {
    let select = "SELECT id FROM api_keys WHERE banned_until > $1 AND revoked_at IS NULL";
    let rows = db.query(select, &[time]).await?;
    rows.iter().map(|row| row.get(0)).collect()
}

#[cfg(test)]
mod tests;
