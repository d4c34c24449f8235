//! The engine as the ledger of a limiter.

use std::collections::HashMap;

use dropspec_rate_limit::clock::Time;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{
    Adjusted, Adjustment, Ban, Carried, Claim, Ledger, LedgerEntry, LedgerHealth, Notice, Now,
    TimeSource, ban_notice,
};
use futures::stream::{self, StreamExt, TryStreamExt};

use super::connection::Connection;
use super::{DAY, MAX_CALLS, RedisLedger};

impl Ledger for RedisLedger {
    fn is_shared(&self) -> bool {
        true
    }

    fn now(&self) -> Option<Time> {
        match self.source {
            TimeSource::Engine => self.link.clock.time.read(),
            TimeSource::Caller => None,
        }
    }

    fn last_step(&self) -> Option<[Carried; 2]> {
        self.link.clock.last_step()
    }

    async fn next_notice(&self) -> Notice {
        match self.notices.lock().await.recv().await {
            Some(notice) => notice,
            None => std::future::pending().await,
        }
    }

    fn health(&self) -> Option<LedgerHealth> {
        Some(LedgerHealth {
            is_available: self.link.watch_fault().borrow().is_none(),
            connections: self.link.connections(),
        })
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        let mut read = redis::pipe();
        for name in ["minute", "day"] {
            read.hgetall(self.entry(key_id, name));
        }
        read.hmget(self.entry(key_id, "ban"), &["strikes", "until", "epoch"]);
        type Stored = HashMap<String, String>;
        type StoredBan = (Option<u32>, Option<i64>, Option<i64>);
        let query = async |connection: &mut Connection| read.query_async(connection).await;
        let (minute, day, ban): (Stored, Stored, StoredBan) = self.call(query).await?;
        let claim = |stored: &Stored| {
            let start = stored.get("start")?.parse().ok()?;
            let claimed = stored.get("claimed")?.parse().ok()?;
            Some(Claim { start, claimed })
        };
        // The other fields are servers: the number of the last call, and what was leased by it.
        let leased = |stored: &Stored| {
            let leases = stored.values().filter_map(|it| it.split_once(':'));
            leases
                .filter_map(|(_, leased)| leased.parse::<u64>().ok())
                .sum()
        };
        Ok(LedgerEntry {
            minute: claim(&minute),
            day: claim(&day),
            leased: [leased(&minute), leased(&day)],
            ban: Ban {
                strikes: ban.0.unwrap_or_default(),
                until: ban.1.filter(|it| *it >= 0),
                epoch: ban.2.unwrap_or_default(),
            },
        })
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        // Those of a key follow each other.
        let groups = adjustments.chunk_by(|one, next| one.key_id == next.key_id);
        let calls = groups.map(|group| self.adjust_with_waits(group.to_vec(), &now));
        let calls: Vec<_> = calls.collect();
        stream::iter(calls).buffered(MAX_CALLS).try_concat().await
    }

    /// Tells servers that start later which windows go on after a step of the engine's clock. The next lease of a key moves its
    /// windows.
    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        let Some(record) = self.link.clock.record(&now()) else {
            return Ok(());
        };
        self.call(async |connection| record.exec_async(connection).await)
            .await
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        let mut query = redis::cmd("ZRANGEBYSCORE");
        query.arg(self.bans()).arg(format!("({time}")).arg("+inf");
        self.call(async |connection| query.query_async(connection).await)
            .await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        let until = ban.until.unwrap_or(-1);
        let mut invocation = self.record_ban.prepare_invoke();
        invocation
            .key(self.entry(key_id, "ban"))
            .arg(ban.strikes)
            .arg(until)
            .arg(ban.epoch)
            .arg(DAY.saturating_mul(i64::from(ban.strikes) + 1))
            .arg(&self.link.channel)
            .arg(ban_notice(key_id, &ban));
        let invoke =
            async |connection: &mut Connection| invocation.invoke_async::<bool>(connection).await;
        if self.call(invoke).await? {
            // In a cluster this is elsewhere, so it is a call of its own. No ban lasts longer than a day, so the earlier ones
            // have ended.
            let bans = self.bans();
            let mut add = redis::cmd("ZADD");
            add.arg(&bans).arg(until).arg(key_id);
            let mut remove = redis::cmd("ZREMRANGEBYSCORE");
            remove.arg(&bans).arg("-inf").arg(until.saturating_sub(DAY));
            self.call(async |connection| add.exec_async(connection).await)
                .await?;
            self.call(async |connection| remove.exec_async(connection).await)
                .await?;
        }
        Ok(())
    }
}
