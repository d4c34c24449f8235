//! What a program does with an engine that counts requests beside its database.

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::logging::Causes;
use dropspec_gate::rate_limit::{Ledger, Now, TimeSource};
use dropspec_gate::redis_ledger::{RedisAddress, RedisLedger};
use dropspec_gate::storage_error::StorageError;
use slog::Logger;

/// Connects to the engine for the service with this name.
///
/// # Errors
///
/// If the engine refuses the connection. One that does not answer is waited for in the background.
pub(super) async fn connect(
    service: &str,
    address: &RedisAddress,
    time: TimeSource,
) -> Result<RedisLedger> {
    let redis = RedisLedger::connect(address.clone(), service, time).await;
    redis.with_context(|| format!("cannot use the engine of the limits at {address}"))
}

/// Tells the engine what the database has counted of the current windows.
pub(super) async fn adopt_usage(
    redis: &RedisLedger,
    keys: &ApiKeys,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let now = redis.now().map_or(now, |time| time.wall);
    let now = Now::at(now.timestamp());
    let used = keys.read_used(&now).await?;
    redis.adjust(used, move || now).await.map(drop)
}

/// Logs that the engine may forget what keys have used, and starts to log each change of its fault and each step of its clock.
pub(super) async fn log_faults(redis: &RedisLedger, log: &Logger) {
    let engine = redis.address().to_string();
    slog::info!(log, "limits are shared with other servers";
        "engine" => &engine, "holder" => redis.holder());
    if let Some(policy) = redis.eviction_policy().await {
        slog::warn!(log, "the engine of the limits forgets entries when its memory is full, so keys may exceed their limits; \
            set maxmemory-policy noeviction"; "engine" => &engine, "maxmemory-policy" => policy);
    }
    let mut steps = redis.watch_steps();
    let (of_steps, its_engine) = (log.clone(), engine.clone());
    tokio::spawn(async move {
        let mut before = *steps.borrow_and_update();
        while steps.changed().await.is_ok() {
            let sum = *steps.borrow_and_update();
            slog::warn!(of_steps, "the clock of the engine of the limits was set; limits and bans go on from where they were";
                "engine" => &its_engine, "seconds" => (sum - before).num_seconds());
            before = sum;
        }
    });
    let mut faults = redis.watch_fault();
    faults.mark_changed();
    let log = log.clone();
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
                    slog::warn!(log, "the engine of the limits can be used again"; "engine" => &engine);
                }
                None => {}
            }
        }
    });
}
