//! The ledgers that a program can choose from at its start.

use std::sync::Arc;

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use slog::Logger;

use spec_gate::keys::ApiKeys;
use spec_gate::logging::Causes;
use spec_gate::rate_limit::{
    Adjusted, Adjustment, Ban, CreditRecord, Ledger, LedgerEntry, LedgerHealth, Notice, Now,
    OperationCount, TimeSource, Window,
};
use spec_gate::redis_ledger::{RedisAddress, RedisLedger};
use spec_gate::storage_error::StorageError;

/// The ledger of a program: its database, or an engine that several servers share.
#[derive(Debug)]
pub enum ProgramLedger {
    /// The database counts requests.
    Database(Arc<ApiKeys>),
    /// Redis or Valkey counts requests. The database stores when keys were used, and bans: the commands show them, and the
    /// operator lifts bans there.
    Redis {
        /// The counts.
        counts: Box<RedisLedger>,
        /// The keys in the database.
        keys: Arc<ApiKeys>,
    },
}

impl ProgramLedger {
    /// Opens the ledger: the given engine, or the database.
    ///
    /// # Errors
    ///
    /// If the engine refuses the connection. One that does not answer is waited for in the background.
    pub(super) async fn open(
        service: &str,
        keys: &Arc<ApiKeys>,
        limits: Option<&RedisAddress>,
        time: TimeSource,
    ) -> Result<ProgramLedger> {
        let keys = Arc::clone(keys);
        let Some(address) = limits else {
            return Ok(ProgramLedger::Database(keys));
        };
        let counts = RedisLedger::connect(address.clone(), service, time);
        let counts = counts
            .await
            .with_context(|| format!("cannot use the engine of the limits at {address}"))?;
        Ok(ProgramLedger::Redis {
            counts: Box::new(counts),
            keys,
        })
    }

    /// Tells an engine what the database has counted of the current windows, if it counted requests before. An engine that
    /// knows more goes on with that.
    pub(super) async fn adopt_usage(&self, now: DateTime<Utc>) -> Result<(), StorageError> {
        let ProgramLedger::Redis { counts, keys } = self else {
            return Ok(());
        };
        let now = Now::at(counts.now().unwrap_or_else(|| now.timestamp()));
        let used = keys.read_used(&now).await?;
        counts.adjust(used, move || now).await.map(drop)
    }

    /// Logs that the engine of the ledger may forget what keys have used. Starts to log when the engine
    /// cannot be used, and when it can again; once for each change.
    pub(super) async fn log_faults(&self, log: Logger) {
        let ProgramLedger::Redis { counts, .. } = self else {
            return;
        };
        let engine = counts.address().to_string();
        slog::info!(log, "limits are shared with other servers";
            "engine" => &engine, "holder" => counts.holder());
        if let Some(policy) = counts.eviction_policy().await {
            slog::warn!(log, "the engine of the limits forgets entries when its memory is full, so keys may exceed their limits; \
                set maxmemory-policy noeviction"; "engine" => &engine, "maxmemory-policy" => policy);
        }
        let mut faults = counts.watch_fault();
        faults.mark_changed();
        tokio::spawn(async move {
            let mut has_failed = false;
            while faults.changed().await.is_ok() {
                match &*faults.borrow_and_update() {
                    Some(error) => {
                        slog::error!(log, "the engine of the limits cannot be used";
                            "engine" => &engine, "error" => %Causes(&**error));
                        has_failed = true;
                    }
                    None if has_failed => {
                        slog::warn!(log, "the engine of the limits can be used again";
                            "engine" => &engine);
                    }
                    None => {}
                }
            }
        });
    }
}

/// Stores in the database when keys were used, as far as the adjustments of the day say. Most keys have few of them.
async fn store_last_use(keys: &Arc<ApiKeys>, adjustments: &[Adjustment], now: i64) {
    let of_day = adjustments.iter().filter(|it| it.window == Window::Day);
    let used = of_day.filter(|it| it.key_id >= 0 && (it.amount > 0 || it.last_seen.is_some()));
    let used: Vec<(i64, i64)> = used
        .map(|it| (it.key_id, it.last_seen.unwrap_or(now)))
        .collect();
    if used.is_empty() {
        return;
    }
    let is_return = adjustments.iter().all(|it| it.last_seen.is_some());
    let keys = Arc::clone(keys);
    // No request depends on it.
    let stored = async move { drop(keys.store_last_use(used).await) };
    if is_return {
        stored.await
    } else {
        // A request may wait for this lease.
        drop(tokio::spawn(stored))
    }
}

impl Ledger for ProgramLedger {
    #[inline]
    fn is_shared(&self) -> bool {
        match self {
            ProgramLedger::Database(keys) => keys.is_shared(),
            ProgramLedger::Redis { counts, .. } => counts.is_shared(),
        }
    }

    #[inline]
    fn now(&self) -> Option<i64> {
        match self {
            ProgramLedger::Database(keys) => keys.now(),
            ProgramLedger::Redis { counts, .. } => counts.now(),
        }
    }

    async fn next_notice(&self) -> Notice {
        match self {
            ProgramLedger::Database(keys) => keys.next_notice().await,
            ProgramLedger::Redis { counts, .. } => counts.next_notice().await,
        }
    }

    fn health(&self) -> Option<LedgerHealth> {
        match self {
            ProgramLedger::Database(_) => None,
            ProgramLedger::Redis { counts, .. } => counts.health(),
        }
    }

    async fn read_entry(&self, key_id: i64) -> Result<LedgerEntry, StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.read_entry(key_id).await,
            ProgramLedger::Redis { counts, .. } => counts.read_entry(key_id).await,
        }
    }

    async fn adjust(
        &self,
        adjustments: Vec<Adjustment>,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<Vec<Adjusted>, StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.adjust(adjustments, now).await,
            ProgramLedger::Redis { counts, keys } => {
                let wall = now().wall;
                let adjusted = counts.adjust(adjustments.clone(), now).await?;
                store_last_use(keys, &adjustments, wall).await;
                Ok(adjusted)
            }
        }
    }

    async fn read_credit(&self) -> Result<CreditRecord, StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.read_credit().await,
            ProgramLedger::Redis { counts, .. } => counts.read_credit().await,
        }
    }

    async fn store_credit(&self, record: CreditRecord) -> Result<(), StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.store_credit(record).await,
            ProgramLedger::Redis { counts, .. } => counts.store_credit(record).await,
        }
    }

    async fn carry_over(
        &self,
        now: impl Fn() -> Now + Send + Sync + 'static,
    ) -> Result<(), StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.carry_over(now).await,
            ProgramLedger::Redis { counts, .. } => counts.carry_over(now).await,
        }
    }

    async fn read_banned(&self, time: i64) -> Result<Vec<i64>, StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.read_banned(time).await,
            ProgramLedger::Redis { counts, .. } => counts.read_banned(time).await,
        }
    }

    async fn add_operation_usage(
        &self,
        counts: Vec<OperationCount>,
        oldest: i64,
    ) -> Result<(), StorageError> {
        let (ProgramLedger::Database(keys) | ProgramLedger::Redis { keys, .. }) = self;
        keys.add_operation_usage(counts, oldest).await
    }

    async fn record_ban(&self, key_id: i64, ban: Ban) -> Result<(), StorageError> {
        match self {
            ProgramLedger::Database(keys) => keys.record_ban(key_id, ban).await,
            ProgramLedger::Redis { counts, keys } => {
                let shared = counts.record_ban(key_id, ban).await;
                // Principals without a key are in no database.
                let stored = if key_id < 0 {
                    Ok(())
                } else {
                    keys.record_ban(key_id, ban).await
                };
                shared.and(stored)
            }
        }
    }
}
