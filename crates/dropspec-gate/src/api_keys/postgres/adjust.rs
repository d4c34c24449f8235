//! Adjustments of usage: leases that servers take and give back, in one transaction for any number of keys.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dropspec_rate_limit::clock::Clock;
use dropspec_rate_limit::{
    Adjusted, Adjustment, Claim, HeldByOthers, Now, OtherServers, TimeSource, Window,
    adjust_after_waits, give_back_notice, grant,
};
use dropspec_store::EngineError;
use dropspec_store::postgres::Db;

use super::PostgresKeys;
use super::clock::{CLOCK, SKEW, observe, opening};
use crate::api_keys::db::Row;

/// Makes the rows that are missing, so that there is a row to lock.
const ADD_MISSING: &str = "INSERT INTO usage (key_id, \"window\", start, claimed)
    SELECT key_id, name, 0, 0 FROM unnest($1::bigint[], $2::text[]) AS wanted (key_id, name) ORDER BY key_id, name
    ON CONFLICT (key_id, \"window\") DO NOTHING";

/// Locks rows in their order, so that no two servers wait for each other.
const LOCK: &str = "SELECT u.key_id, u.\"window\", u.start, u.claimed, k.strikes, k.banned_until, k.ban_epoch, u.leases
    FROM usage u
    JOIN api_keys k ON k.id = u.key_id
    JOIN unnest($1::bigint[], $2::text[]) AS wanted (key_id, name) ON u.key_id = wanted.key_id AND u.\"window\" = wanted.name
    ORDER BY u.key_id, u.\"window\" FOR UPDATE OF u";

const SAVE: &str =
    "UPDATE usage u SET start = new.start, claimed = new.claimed, leases = new.leases
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
        AS new (key_id, name, start, claimed, leases)
    WHERE u.key_id = new.key_id AND u.\"window\" = new.name";

/// Locks the keys in their order before they are updated.
const SAVE_LAST_USED: &str = "WITH new AS (
        SELECT k.id, new.last_used FROM api_keys k
        JOIN unnest($1::bigint[], $2::bigint[]) AS new (key_id, last_used) ON k.id = new.key_id
        ORDER BY k.id FOR NO KEY UPDATE OF k
    )
    UPDATE api_keys k SET last_used_at = new.last_used FROM new WHERE k.id = new.id";

/// The most holders that a notice names; further ones are named by the next one.
const HOLDERS_IN_NOTICE: usize = 100;

/// What a row of `usage` holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Usage {
    claim: Option<Claim>,
    /// What servers may not have used yet, by the names of their processes.
    leases: BTreeMap<String, u64>,
}

/// The results of adjustments, and the notices that ask other servers to give back what they hold.
#[derive(Default)]
struct Outcome {
    adjusted: Vec<Adjusted>,
    notices: Vec<String>,
}

impl PostgresKeys {
    /// Makes adjustments, and waits for other servers if they hold what is needed.
    pub(crate) async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync,
    ) -> Result<Vec<Adjusted>, EngineError> {
        let now = &now;
        adjust_after_waits(adjustments, self.last_wait, |some, others| async move {
            self.adjust_once(&some, now, others).await
        })
        .await
    }

    /// Makes adjustments in one transaction: three round trips, however many there are.
    async fn adjust_once(
        &self,
        adjustments: &[Adjustment],
        now: &(impl Fn() -> Now + Send + Sync),
        others: OtherServers,
    ) -> Result<Vec<Adjusted>, EngineError> {
        let input = (self, adjustments, now, others);
        let write = self.engine.write(&input, |db, input| {
            Box::pin(async move {
                let (keys, adjustments, now, others) = input;
                keys.adjust_in(db, adjustments, now, *others).await
            })
        });
        let Outcome { adjusted, notices } = write.await?;
        for notice in notices {
            self.send(&notice).await;
        }
        Ok(adjusted)
    }

    /// Makes adjustments in a transaction that has begun.
    async fn adjust_in(
        &self,
        db: &Db,
        adjustments: &[Adjustment],
        now: &(impl Fn() -> Now + Send + Sync),
        others: OtherServers,
    ) -> Result<Outcome, EngineError> {
        let keys: Vec<i64> = adjustments.iter().map(|it| it.key_id).collect();
        let windows = adjustments.iter().map(|it| it.window.as_str());
        let windows: Vec<&str> = windows.collect();
        let sent = self.time.clock().monotonic();
        let [_, rows, clock] = db
            .query_all([
                (ADD_MISSING, &[&keys, &windows]),
                (LOCK, &[&keys, &windows]),
                (CLOCK, &[]),
            ])
            .await?;
        // Both times are read after the rows are locked: windows are stored in their order.
        let time = observe(&self.time, &clock, sent)?;
        let known = now();
        let now = match self.source {
            TimeSource::Engine => known.with_wall(opening(time, known.wall)),
            TimeSource::Caller => known,
        };
        let (mut usages, mut bans) = (BTreeMap::new(), BTreeMap::new());
        for row in rows.into_iter().map(Row::Postgres) {
            let key_id: i64 = row.get(0)?;
            let claim = Claim {
                start: row.get(2)?,
                claimed: row.get_count(3)?,
            };
            let usage = Usage {
                claim: Some(claim),
                leases: parse_leases(&row.get::<String>(7)?)?,
            };
            usages.insert((key_id, row.get::<String>(1)?), usage);
            bans.insert(key_id, row.get_ban(4)?);
        }
        let mut outcome = Outcome::default();
        let mut last_used = BTreeMap::new();
        for adjustment in adjustments {
            let (key_id, window) = (adjustment.key_id, adjustment.window);
            let usage = usages
                .entry((key_id, window.as_str().to_owned()))
                .or_default();
            let (adjusted, asked) = usage.adjust(adjustment, &now, &self.holder, others);
            outcome.adjusted.push(Adjusted {
                ban: bans.get(&key_id).copied(),
                ..adjusted
            });
            let asked = asked.chunks(HOLDERS_IN_NOTICE);
            let notices = asked.map(|some| give_back_notice(key_id, window, some));
            outcome.notices.extend(notices);
            if adjustment.amount > 0 || (adjustment.last_seen.is_some() && window == Window::Day) {
                last_used.insert(key_id, adjustment.last_seen.unwrap_or(now.wall));
            }
        }
        save(db, &usages, &last_used).await?;
        Ok(outcome)
    }
}

impl Usage {
    /// Makes an adjustment for the server `holder` at `now`. Returns its result, and the servers that should give back what they
    /// hold.
    fn adjust(
        &mut self,
        adjustment: &Adjustment,
        now: &Now,
        holder: &str,
        others: OtherServers,
    ) -> (Adjusted, Vec<String>) {
        let Claim { start, claimed } = self.open(adjustment.window, now);
        let is_current = now.is_in(adjustment.start, adjustment.window, start);
        let returned = (-adjustment.amount).max(0).unsigned_abs();
        // A database that has lost writes learns what the server knows of them.
        let known = adjustment.used + adjustment.leased + returned;
        let mut claimed = if is_current {
            claimed.max(known)
        } else {
            claimed
        };
        self.leases.remove(holder);
        if others == OtherServers::Forget {
            self.leases.clear();
        }
        let held_by_others = HeldByOthers {
            held: self.leases.values().sum(),
            servers: self.leases.len() as u64,
        };
        let rest = adjustment.limit.saturating_sub(claimed);
        let (granted, asked) = match adjustment.amount {
            ..0 if is_current => {
                claimed = claimed.saturating_sub(returned);
                (0, Vec::new())
            }
            // Of a window that has ended.
            ..=0 => (0, Vec::new()),
            1.. => match grant(adjustment, rest, held_by_others) {
                Some(granted) => (granted, Vec::new()),
                None => (0, self.leases.keys().cloned().collect()),
            },
        };
        claimed += granted;
        let held = adjustment.leased_after(granted);
        if held > 0 {
            self.leases.insert(holder.to_owned(), held);
        }
        let claim = Claim { start, claimed };
        self.claim = Some(claim);
        let adjusted = Adjusted {
            held: held_by_others.held,
            ..Adjusted::unshared(claim, granted)
        };
        (adjusted, asked)
    }

    /// Opens the window of `now` if it is not open yet, and returns what is claimed of it.
    fn open(&mut self, window: Window, now: &Now) -> Claim {
        let start = now.start_of(window);
        match self.claim {
            // The clock of this server is a little behind that of the one that has opened the window.
            Some(stored) if (start..=now.wall + SKEW).contains(&stored.start) => stored,
            // A window that starts later than that is from before the clock was set back, and goes on.
            Some(stored) if now.current(window).contains(&stored.start) => {
                Claim { start, ..stored }
            }
            // The claims of an earlier window ended with it.
            Some(_) | None => {
                self.leases.clear();
                Claim { start, claimed: 0 }
            }
        }
    }
}

async fn save(
    db: &Db,
    usages: &BTreeMap<(i64, String), Usage>,
    last_used: &BTreeMap<i64, i64>,
) -> Result<(), EngineError> {
    let (mut keys, mut windows, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let (mut claimed, mut leases) = (Vec::new(), Vec::new());
    for ((key_id, window), usage) in usages {
        let Some(claim) = usage.claim else { continue };
        keys.push(*key_id);
        windows.push(window.as_str());
        starts.push(claim.start);
        claimed.push(i64::try_from(claim.claimed).map_err(EngineError::internal)?);
        leases.push(format_leases(&usage.leases));
    }
    let used_keys: Vec<i64> = last_used.keys().copied().collect();
    let times: Vec<i64> = last_used.values().copied().collect();
    db.query_all([
        (SAVE, &[&keys, &windows, &starts, &claimed, &leases]),
        (SAVE_LAST_USED, &[&used_keys, &times]),
    ])
    .await
    .map(|_| ())
}

/// Reads the column `leases`: `name=count`, separated by spaces.
fn parse_leases(text: &str) -> Result<BTreeMap<String, u64>, EngineError> {
    let leases = text.split_whitespace().map(|it| {
        let (holder, count) = it.split_once('=')?;
        Some((holder.to_owned(), count.parse().ok()?))
    });
    let leases: Option<_> = leases.collect();
    leases.ok_or_else(|| EngineError::internal("the column leases has another form"))
}

fn format_leases(leases: &BTreeMap<String, u64>) -> String {
    let mut text = String::new();
    for (holder, count) in leases {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = write!(text, "{space}{holder}={count}");
    }
    text
}

#[cfg(test)]
mod tests;
