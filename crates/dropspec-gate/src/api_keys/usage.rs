//! The table `usage`, and with it the ledger of the limiter.

use std::collections::BTreeMap;
use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

#[cfg(feature = "postgres")]
use dropspec_rate_limit::ban_notice;
use dropspec_rate_limit::clock::Time;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{
    Adjusted, Adjustment, Ban, Claim, CreditRecord, Ledger, LedgerEntry, Notice, Now,
    OperationCount, Window,
};
use dropspec_store::EngineError;

use super::claims::adjust_all;
use super::db::{Db, Parameter, Sqlite, read, run, write};
use super::engine_error::to_storage_error;
use super::lost_credit::{read_credit, store_credit};
use super::operation_usage::add_operation_usage;
use super::table::{ApiKeys, Tables};

/// Keys are in the database. Other principals, whose ids are below 0 ([`Account::of_subject`]), are in memory.
///
/// [`Account::of_subject`]: dropspec_rate_limit::Account::of_subject
impl Ledger for ApiKeys {
    fn is_shared(&self) -> bool {
        !matches!(self.tables, Tables::Sqlite(_))
    }

    fn now(&self) -> Option<Time> {
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
        if self.is_shared() {
            return Ok(CreditRecord::default());
        }
        read!(self.tables, (), read_credit).map_err(to_storage_error)
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        if self.is_shared() {
            return Ok(());
        }
        write!(self.tables, record, store_credit).map_err(to_storage_error)
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
        write!(self.tables, move || now(), carry_over).map_err(to_storage_error)
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let mut banned = self.subjects.read_banned(time).await?;
        let keys = read!(self.tables, time, read_banned);
        banned.extend(keys.map_err(to_storage_error)?);
        Ok(banned)
    }

    async fn add_operation_usage(
        &self,
        mut counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        // So that no two servers wait for each other.
        counts.sort_by_cached_key(|it| (it.day, it.operation.clone(), it.input.clone(), it.key_id));
        write!(self.tables, (counts, oldest), add_operation_usage).map_err(to_storage_error)
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        if key_id < 0 {
            return self.subjects.record_ban(key_id, ban).await;
        }
        write!(self.tables, (key_id, ban), record_ban).map_err(to_storage_error)?;
        #[cfg(feature = "postgres")]
        if let Tables::Postgres(keys) = &self.tables {
            Box::pin(keys.send(&ban_notice(key_id, &ban))).await;
        }
        Ok(())
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
        // In their order, so that no two servers wait for each other.
        let used: BTreeMap<i64, i64> = used.into_iter().collect();
        write!(self.tables, used, store_last_use).map_err(to_storage_error)
    }

    /// Makes adjustments of keys, in one transaction.
    async fn adjust_keys(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        let engine = match &self.tables {
            Tables::Sqlite(engine) => engine,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => {
                // Boxed, so that the future of SQLite is not larger.
                let adjusted = Box::pin(keys.adjust(adjustments, now)).await;
                return adjusted.map_err(to_storage_error);
            }
        };
        let written = engine.write(move |db| run(adjust_all(&Sqlite(db), &adjustments, &now())));
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
    let [of_minute, of_day] = ["m", "d"].map(|table| D::LEASED.replace("usage", table));
    let select = format!(
        "SELECT m.start, m.claimed, d.start, d.claimed, k.strikes, k.banned_until, k.ban_epoch,
            coalesce({of_minute}, 0), coalesce({of_day}, 0)
        FROM api_keys k
        LEFT JOIN usage m ON m.key_id = k.id AND m.\"window\" = 'minute'
        LEFT JOIN usage d ON d.key_id = k.id AND d.\"window\" = 'day'
        WHERE k.id = $1"
    );
    let rows = db.query(&select, &[key_id]).await?;
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
        leased: [row.get_count(7)?, row.get_count(8)?],
        ban: row.get_ban(4)?,
    })
}

async fn read_banned<D: Db>(db: &D, time: &i64) -> Result<Vec<i64>, EngineError> {
    let select = "SELECT id FROM api_keys WHERE banned_until > $1 AND revoked_at IS NULL";
    let rows = db.query(select, &[time]).await?;
    rows.iter().map(|row| row.get(0)).collect()
}

async fn store_last_use<D: Db>(db: &D, used: &BTreeMap<i64, i64>) -> Result<(), EngineError> {
    let update = "UPDATE api_keys SET last_used_at = $2
        WHERE id = $1 AND last_used_at IS DISTINCT FROM $2";
    let rows = used
        .iter()
        .map(|(id, time)| -> Vec<&dyn Parameter> { vec![id, time] });
    db.query_each(update, &rows.collect::<Vec<_>>()).await
}

/// Windows that are current before and after a step of the clock go on. Later ones are of another time.
async fn carry_over<D: Db>(db: &D, now: &(impl Fn() -> Now + Sync)) -> Result<(), EngineError> {
    if D::IS_SHARED {
        // All rows may change, so that no other server changes any meanwhile.
        db.query("LOCK TABLE usage IN EXCLUSIVE MODE", &[]).await?;
    }
    let now = now();
    for window in Window::ALL {
        let (name, start, current) = (window.as_str(), now.start_of(window), now.current(window));
        let (first, last) = (*current.start(), *current.end());
        // Servers that wait for a row expect it to be there.
        let end = if D::IS_SHARED {
            "UPDATE usage SET start = 0, claimed = 0, leases = '' WHERE \"window\" = $1 AND start > $2"
        } else {
            "DELETE FROM usage WHERE \"window\" = $1 AND start > $2"
        };
        db.query(end, &[&name, &last]).await?;
        let carry = "UPDATE usage SET start = $2
            WHERE \"window\" = $1 AND start BETWEEN $3 AND $4 AND start <> $2";
        db.query(carry, &[&name, &start, &first, &last]).await?;
        if !D::IS_SHARED {
            let carry = "UPDATE credit SET start = $2, crashes = iif(start <= $4, crashes, 0)
                WHERE \"window\" = $1 AND start >= $3 AND start <> $2";
            db.query(carry, &[&name, &start, &first, &last]).await?;
        }
    }
    Ok(())
}

/// Records a ban, unless the operator has lifted it since.
async fn record_ban<D: Db>(db: &D, (key_id, ban): &(i64, Ban)) -> Result<(), EngineError> {
    let lock = format!("SELECT id FROM api_keys WHERE id = $1 {}", D::FOR_UPDATE);
    db.query(&lock, &[key_id]).await?;
    let update =
        "UPDATE api_keys SET strikes = $2, banned_until = $3 WHERE id = $1 AND ban_epoch = $4";
    let strikes = i64::from(ban.strikes);
    db.query(update, &[key_id, &strikes, &ban.until, &ban.epoch])
        .await?;
    Ok(())
}
