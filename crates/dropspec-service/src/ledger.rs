//! The ledger of a program: its database, or an engine that several servers share.

use std::sync::Arc;

use anyhow::Result;
use chrono::{DateTime, Utc};
use dropspec_gate::clock::Time;
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::rate_limit::{
    Adjusted, Adjustment, Ban, Carried, CreditRecord, Ledger, LedgerEntry, LedgerHealth, Notice,
    Now, OperationCount, TimeSource,
};
use dropspec_gate::storage_error::StorageError;
use slog::Logger;

use crate::limits_argument::LimitsEngine;

#[cfg(feature = "redis")]
mod redis;

/// The ledger of a program. Its database counts requests, or Redis or Valkey does. Then the database stores when keys were
/// used, and bans: the commands show them, and the operator lifts bans there.
#[derive(Debug)]
pub struct ProgramLedger {
    keys: Arc<ApiKeys>,
    /// Counts requests, if there is one.
    #[cfg(feature = "redis")]
    redis: Option<Box<dropspec_gate::redis_ledger::RedisLedger>>,
}

/// Calls a method of what counts requests.
macro_rules! call {
    ($ledger:ident.$method:ident($($argument:ident),*) $(.$await:ident)?) => {{
        #[cfg(feature = "redis")]
        if let Some(redis) = &$ledger.redis {
            return redis.$method($($argument),*) $(.$await)?;
        }
        $ledger.keys.$method($($argument),*) $(.$await)?
    }};
}

impl ProgramLedger {
    /// Opens the ledger of the service with this name: the given engine, or the database.
    #[cfg_attr(not(feature = "redis"), allow(unused_variables))]
    pub(super) async fn open(
        service: &str,
        keys: &Arc<ApiKeys>,
        limits: Option<&LimitsEngine>,
        time: TimeSource,
    ) -> Result<ProgramLedger> {
        Ok(ProgramLedger {
            keys: Arc::clone(keys),
            #[cfg(feature = "redis")]
            redis: match limits {
                Some(address) => Some(redis::connect(service, address, time).await?),
                None => None,
            },
        })
    }

    /// The address of an engine that counts requests; `None` if the database does.
    pub(super) fn engine(&self) -> Option<String> {
        #[cfg(feature = "redis")]
        let engine = self.redis.as_ref().map(|it| it.address().to_string());
        #[cfg(not(feature = "redis"))]
        let engine = None;
        engine
    }

    /// Tells an engine what the database has counted of the current windows, if it counted requests before. An engine that
    /// knows more goes on with that.
    #[cfg_attr(not(feature = "redis"), allow(unused_variables))]
    pub(super) async fn adopt_usage(&self, now: DateTime<Utc>) -> Result<(), StorageError> {
        #[cfg(feature = "redis")]
        if let Some(redis) = &self.redis {
            return redis::adopt_usage(redis, &self.keys, now).await;
        }
        Ok(())
    }

    /// Logs that the engine of the ledger may forget what keys have used. Starts to log when the engine
    /// cannot be used, when it can again, and when its clock was set; once for each change.
    #[cfg_attr(not(feature = "redis"), allow(unused_variables))]
    pub(super) async fn log_faults(&self, log: &Logger) {
        #[cfg(feature = "redis")]
        if let Some(redis) = &self.redis {
            redis::log_faults(redis, log).await;
        }
    }
}

impl Ledger for ProgramLedger {
    #[inline]
    fn is_shared(&self) -> bool {
        call!(self.is_shared())
    }

    #[inline]
    fn now(&self) -> Option<Time> {
        call!(self.now())
    }

    fn last_step(&self) -> Option<[Carried; 2]> {
        call!(self.last_step())
    }

    async fn next_notice(&self) -> Notice {
        call!(self.next_notice().await)
    }

    fn health(&self) -> Option<LedgerHealth> {
        call!(self.health())
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        call!(self.read_entry(key_id).await)
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        #[cfg(feature = "redis")]
        if let Some(redis) = &self.redis {
            let wall = now().wall;
            let adjusted = redis.adjust(adjustments.clone(), now).await?;
            redis::store_last_use(&self.keys, &adjustments, wall).await;
            return Ok(adjusted);
        }
        self.keys.adjust(adjustments, now).await
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        call!(self.read_credit().await)
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        call!(self.store_credit(record).await)
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        call!(self.carry_over(now).await)
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        call!(self.read_banned(time).await)
    }

    async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        self.keys.add_operation_usage(counts, oldest).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        #[cfg(feature = "redis")]
        if let Some(redis) = &self.redis {
            let shared = redis.record_ban(key_id, ban).await;
            // Principals without a key are in no database.
            let stored = if key_id < 0 {
                Ok(())
            } else {
                self.keys.record_ban(key_id, ban).await
            };
            return shared.and(stored);
        }
        self.keys.record_ban(key_id, ban).await
    }
}
