//! The keys as the ledger of the limiter: the database counts requests, or an engine beside it does.

use std::sync::Arc;

#[cfg(feature = "postgres")]
use dropspec_rate_limit::ban_notice;
use dropspec_rate_limit::clock::Time;
use dropspec_rate_limit::storage_error::StorageError;
use dropspec_rate_limit::{
    Adjusted, Adjustment, Ban, Carried, CreditRecord, Ledger, LedgerEntry, LedgerHealth, Notice,
    Now, OperationCount,
};

use super::db::{Sqlite, read, run, write};
use super::engine_error::to_storage_error;
#[cfg(feature = "redis")]
use super::last_use::store_last_use;
use super::lost_credit::{read_credit, store_credit};
use super::operation_usage::add_operation_usage;
#[cfg(feature = "redis")]
use super::redis_ledger::RedisLedger;
use super::table::{ApiKeys, Tables};
use super::usage::{carry_over, is_subject, read_banned, read_entry, record_ban};

/// Returns what the engine that counts requests answers to a call, if there is one.
macro_rules! ask_engine {
    ($keys:ident.$method:ident($($argument:ident),*) $(.$await:ident)?) => {
        #[cfg(feature = "redis")]
        if let Some(engine) = &$keys.engine {
            return engine.$method($($argument),*) $(.$await)?;
        }
    };
}

#[cfg(feature = "redis")]
impl ApiKeys {
    /// Lets this engine count requests in place of the database. Then the database stores when keys were used, and bans: the
    /// commands show them, and the operator lifts bans there.
    #[must_use]
    pub fn with_engine(mut self, engine: RedisLedger) -> ApiKeys {
        self.engine = Some(Box::new(engine));
        self
    }

    /// What counts requests in place of the database, if there is something.
    pub fn engine(&self) -> Option<&RedisLedger> {
        self.engine.as_deref()
    }
}

/// Keys are in the database. Other principals, whose ids are below 0 ([`Account::of_subject`]), are in memory, or in the engine.
///
/// [`Account::of_subject`]: dropspec_rate_limit::Account::of_subject
impl Ledger for ApiKeys {
    #[inline]
    fn is_shared(&self) -> bool {
        ask_engine!(self.is_shared());
        !matches!(self.tables, Tables::Sqlite(_))
    }

    #[inline]
    fn now(&self) -> Option<Time> {
        ask_engine!(self.now());
        match &self.tables {
            Tables::Sqlite(_) => None,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.now(),
        }
    }

    fn last_step(&self) -> Option<[Carried; 2]> {
        ask_engine!(self.last_step());
        None
    }

    async fn next_notice(&self) -> Notice {
        ask_engine!(self.next_notice().await);
        match &self.tables {
            Tables::Sqlite(_) => std::future::pending().await,
            #[cfg(feature = "postgres")]
            Tables::Postgres(keys) => keys.next_notice().await,
        }
    }

    fn health(&self) -> Option<LedgerHealth> {
        ask_engine!(self.health());
        None
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        ask_engine!(self.read_entry(key_id).await);
        if key_id < 0 {
            return self.subjects.read_entry(key_id).await;
        }
        let entry = read!(self.tables, key_id, read_entry);
        entry.map_err(to_storage_error)
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        ask_engine!(self.read_credit().await);
        if self.is_shared() {
            return Ok(CreditRecord::default());
        }
        read!(self.tables, (), read_credit).map_err(to_storage_error)
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        ask_engine!(self.store_credit(record).await);
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
        #[cfg(feature = "redis")]
        if let Some(engine) = &self.engine {
            let wall = now().wall;
            let adjusted = engine.adjust(adjustments.clone(), now).await?;
            store_last_use(self.tables.database(), &adjustments, wall).await;
            return Ok(adjusted);
        }
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
        ask_engine!(self.carry_over(now).await);
        let now = Arc::new(now);
        let of_subjects = Arc::clone(&now);
        self.subjects.carry_over(move || of_subjects()).await?;
        write!(self.tables, move || now(), carry_over).map_err(to_storage_error)
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        ask_engine!(self.read_banned(time).await);
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
        #[cfg(feature = "redis")]
        if let Some(engine) = &self.engine {
            let shared = engine.record_ban(key_id, ban).await;
            // Principals without a key are in no database.
            let stored = if key_id < 0 {
                Ok(())
            } else {
                self.store_ban(key_id, ban).await
            };
            return shared.and(stored);
        }
        if key_id < 0 {
            return self.subjects.record_ban(key_id, ban).await;
        }
        self.store_ban(key_id, ban).await
    }
}

impl ApiKeys {
    /// Stores a ban of a key in the database.
    async fn store_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        write!(self.tables, (key_id, ban), record_ban).map_err(to_storage_error)?;
        #[cfg(feature = "postgres")]
        if let Tables::Postgres(keys) = &self.tables {
            Box::pin(keys.send(&ban_notice(key_id, &ban))).await;
        }
        Ok(())
    }
}
