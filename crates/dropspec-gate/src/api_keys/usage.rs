//! The table `usage`, and what a ledger stores of keys.

use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::time::Duration;

use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{Adjusted, Adjustment, Ban, Claim, Ledger, LedgerEntry, Now, Window};
use dropspec_store::EngineError;

use super::claims::adjust_all;
use super::db::{Db, Sqlite, run};
use super::engine_error::to_storage_error;
use super::table::{ApiKeys, Tables};

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

    /// Makes adjustments of keys, in one transaction.
    pub(super) async fn adjust_keys(
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
    pub(super) async fn adjust_keys_and_subjects(
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

pub(super) fn is_subject(adjustment: &Adjustment) -> bool {
    adjustment.key_id < 0
}

/// One statement reads all of it, as it is read for every key that is not in memory.
pub(super) async fn read_entry<D: Db>(db: &D, key_id: &i64) -> Result<LedgerEntry, EngineError> {
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

pub(super) async fn read_banned<D: Db>(db: &D, time: &i64) -> Result<Vec<i64>, EngineError> {
    let select = "SELECT id FROM api_keys WHERE banned_until > $1 AND revoked_at IS NULL";
    let rows = db.query(select, &[time]).await?;
    rows.iter().map(|row| row.get(0)).collect()
}

/// Windows that are current before and after a step of the clock go on. Later ones are of another time.
pub(super) async fn carry_over<D: Db>(
    db: &D,
    now: &(impl Fn() -> Now + Sync),
) -> Result<(), EngineError> {
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
pub(super) async fn record_ban<D: Db>(
    db: &D,
    (key_id, ban): &(i64, Ban),
) -> Result<(), EngineError> {
    let lock = format!("SELECT id FROM api_keys WHERE id = $1 {}", D::FOR_UPDATE);
    db.query(&lock, &[key_id]).await?;
    let update =
        "UPDATE api_keys SET strikes = $2, banned_until = $3 WHERE id = $1 AND ban_epoch = $4";
    let strikes = i64::from(ban.strikes);
    db.query(update, &[key_id, &strikes, &ban.until, &ban.epoch])
        .await?;
    Ok(())
}
