//! The table `usage`: the ledger of the limiter for keys, which several servers share.

use std::collections::BTreeMap;

use postgres_engine::{Db, EngineError};

use super::PostgresKeys;
use super::read::read_ban;
use crate::rate_limit::{Adjusted, Adjustment, Ban, Claim, LedgerEntry, Now, Window};

/// Makes the rows that are missing, so that there is a row to lock.
const ADD_MISSING: &str = "INSERT INTO usage (key_id, \"window\", start, claimed)
    SELECT key_id, name, 0, 0 FROM unnest($1::bigint[], $2::text[]) AS wanted (key_id, name) ORDER BY key_id, name
    ON CONFLICT (key_id, \"window\") DO NOTHING";

/// Locks rows in their order, so that no two servers wait for each other.
const LOCK: &str = "SELECT u.key_id, u.\"window\", u.start, u.claimed, k.strikes, k.banned_until, k.ban_epoch
    FROM usage u
    JOIN api_keys k ON k.id = u.key_id
    JOIN unnest($1::bigint[], $2::text[]) AS wanted (key_id, name) ON u.key_id = wanted.key_id AND u.\"window\" = wanted.name
    ORDER BY u.key_id, u.\"window\" FOR UPDATE OF u";

const SAVE: &str = "UPDATE usage u SET start = new.start, claimed = new.claimed
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS new (key_id, name, start, claimed)
    WHERE u.key_id = new.key_id AND u.\"window\" = new.name";

/// Locks the keys in their order before they are updated.
const SAVE_LAST_USED: &str = "WITH new AS (
        SELECT k.id, new.last_used FROM api_keys k
        JOIN unnest($1::bigint[], $2::bigint[]) AS new (key_id, last_used) ON k.id = new.key_id
        ORDER BY k.id FOR NO KEY UPDATE OF k
    )
    UPDATE api_keys k SET last_used_at = new.last_used FROM new WHERE k.id = new.id";

/// The columns of rows, each as an array.
#[derive(Default)]
struct Columns {
    keys: Vec<i64>,
    windows: Vec<&'static str>,
    starts: Vec<i64>,
    claimed: Vec<i64>,
}

impl PostgresKeys {
    /// One statement reads all of it, as it is read for every key that is not in memory.
    pub(in crate::keys) async fn read_entry(
        &self,
        key_id: i64,
    ) -> Result<LedgerEntry, EngineError> {
        let read = self.engine.read(&key_id, |db, key_id| {
            Box::pin(async move {
                let select = "SELECT m.start, m.claimed, d.start, d.claimed, k.strikes, k.banned_until, k.ban_epoch
                    FROM api_keys k
                    LEFT JOIN usage m ON m.key_id = k.id AND m.\"window\" = 'minute'
                    LEFT JOIN usage d ON d.key_id = k.id AND d.\"window\" = 'day'
                    WHERE k.id = $1";
                db.query_opt(select, &[key_id]).await
            })
        });
        let Some(row) = read.await? else {
            return Ok(LedgerEntry::default());
        };
        let claim = |first: usize| {
            let start: Option<i64> = row.get(first)?;
            let claim = start.map(|start| {
                Ok::<_, EngineError>(Claim {
                    start,
                    claimed: row.get_count(first + 1)?,
                })
            });
            claim.transpose()
        };
        Ok(LedgerEntry {
            minute: claim(0)?,
            day: claim(2)?,
            ban: read_ban(&row, 4)?,
        })
    }

    /// Makes adjustments in one transaction: three round trips, however many there are.
    pub(in crate::keys) async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync,
    ) -> Result<Vec<Adjusted>, EngineError> {
        let input = (adjustments, now);
        let write = self.engine.write(&input, |db, (adjustments, now)| {
            Box::pin(async move { adjust(db, adjustments, now).await })
        });
        write.await
    }

    /// Stores the times of last use of keys, for a ledger that is elsewhere.
    pub(in crate::keys) async fn store_last_use(
        &self,
        used: Vec<(i64, i64)>,
    ) -> Result<(), EngineError> {
        let used: BTreeMap<i64, i64> = used.into_iter().collect();
        let write = self.engine.write(&used, |db, used| {
            Box::pin(async move {
                let keys: Vec<i64> = used.keys().copied().collect();
                let times: Vec<i64> = used.values().copied().collect();
                db.query(SAVE_LAST_USED, &[&keys, &times]).await?;
                Ok(())
            })
        });
        write.await
    }

    pub(in crate::keys) async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync,
    ) -> Result<(), EngineError> {
        let write = self.engine.write(&now, |db, now| {
            Box::pin(async move {
                // All rows may change, so that no other server changes any meanwhile.
                db.query("LOCK TABLE usage IN EXCLUSIVE MODE", &[]).await?;
                let now = now();
                for window in Window::ALL {
                    let (name, current) = (window.as_str(), now.current(window));
                    let (first, last) = (*current.start(), *current.end());
                    let start = now.start_of(window);
                    let end = "UPDATE usage SET start = 0, claimed = 0 WHERE \"window\" = $1 AND start > $2";
                    let carry = "UPDATE usage SET start = $2
                        WHERE \"window\" = $1 AND start BETWEEN $3 AND $4 AND start <> $2";
                    db.query_all([
                        (end, &[&name, &last]),
                        (carry, &[&name, &start, &first, &last]),
                    ])
                    .await?;
                }
                Ok(())
            })
        });
        write.await
    }

    pub(in crate::keys) async fn read_banned(&self, time: i64) -> Result<Vec<i64>, EngineError> {
        let read = self.engine.read(&time, |db, time| {
            Box::pin(async move {
                let select =
                    "SELECT id FROM api_keys WHERE banned_until > $1 AND revoked_at IS NULL";
                db.query(select, &[time]).await
            })
        });
        read.await?.iter().map(|row| row.get(0)).collect()
    }

    pub(in crate::keys) async fn record_ban(
        &self,
        key_id: i64,
        ban: Ban,
    ) -> Result<(), EngineError> {
        let input = (key_id, ban);
        let write = self.engine.write(&input, |db, (key_id, ban)| {
            Box::pin(async move {
                let lock = "SELECT id FROM api_keys WHERE id = $1 FOR UPDATE";
                // Another server may have recorded a longer ban.
                let update = "UPDATE api_keys SET strikes = $2, banned_until = $3
                    WHERE id = $1 AND ban_epoch = $4";
                let strikes = i64::from(ban.strikes);
                db.query_all([
                    (lock, &[key_id]),
                    (update, &[key_id, &strikes, &ban.until, &ban.epoch]),
                ])
                .await
                .map(|_| ())
            })
        });
        write.await
    }
}

async fn adjust(
    db: &Db,
    adjustments: &[Adjustment],
    now: &(impl Fn() -> Now + Send + Sync),
) -> Result<Vec<Adjusted>, EngineError> {
    let mut wanted = Columns::default();
    for adjustment in adjustments {
        wanted.keys.push(adjustment.key_id);
        wanted.windows.push(adjustment.window.as_str());
    }
    let [_, rows] = db
        .query_all([
            (ADD_MISSING, &[&wanted.keys, &wanted.windows]),
            (LOCK, &[&wanted.keys, &wanted.windows]),
        ])
        .await?;
    // After the rows are locked: windows are stored in the order of their times.
    let now = now();
    let (mut claims, mut bans) = (BTreeMap::new(), BTreeMap::new());
    for row in &rows {
        let key_id: i64 = row.get(0)?;
        let claim = Claim {
            start: row.get(2)?,
            claimed: row.get_count(3)?,
        };
        claims.insert((key_id, row.get::<String>(1)?), claim);
        bans.insert(key_id, read_ban(row, 4)?);
    }
    let mut adjusted = Vec::with_capacity(adjustments.len());
    let (mut saved, mut last_used) = (BTreeMap::new(), BTreeMap::new());
    for adjustment in adjustments {
        let (key_id, window) = (adjustment.key_id, adjustment.window);
        let key = (key_id, window.as_str().to_owned());
        let before = match claims.get(&key) {
            Some(stored) if now.current(window).contains(&stored.start) => stored.claimed,
            // The claims of an earlier window ended with it.
            Some(_) | None => 0,
        };
        // Requests of a window that has ended by the clock of another server.
        let is_late = adjustment.amount < 0 && !now.current(window).contains(&adjustment.start);
        let claim = Claim {
            start: now.start_of(window),
            claimed: if is_late {
                before
            } else {
                adjustment.apply(before)
            },
        };
        claims.insert(key, claim);
        saved.insert((key_id, window.as_str()), claim);
        adjusted.push(Adjusted {
            ban: bans.get(&key_id).copied(),
            ..Adjusted::unshared(claim, claim.claimed.saturating_sub(before))
        });
        if adjustment.amount > 0 || (adjustment.last_seen.is_some() && window == Window::Day) {
            last_used.insert(key_id, adjustment.last_seen.unwrap_or(now.wall));
        }
    }
    save(db, &saved, &last_used).await?;
    Ok(adjusted)
}

async fn save(
    db: &Db,
    claims: &BTreeMap<(i64, &'static str), Claim>,
    last_used: &BTreeMap<i64, i64>,
) -> Result<(), EngineError> {
    let mut rows = Columns::default();
    for ((key_id, window), claim) in claims {
        rows.keys.push(*key_id);
        rows.windows.push(window);
        rows.starts.push(claim.start);
        rows.claimed
            .push(i64::try_from(claim.claimed).map_err(EngineError::internal)?);
    }
    let keys: Vec<i64> = last_used.keys().copied().collect();
    let times: Vec<i64> = last_used.values().copied().collect();
    db.query_all([
        (
            SAVE,
            &[&rows.keys, &rows.windows, &rows.starts, &rows.claimed],
        ),
        (SAVE_LAST_USED, &[&keys, &times]),
    ])
    .await
    .map(|_| ())
}
