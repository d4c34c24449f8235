//! The engine that counts requests in place of the database, if one is set.

use anyhow::Result;
use chrono::{DateTime, Utc};
use dropspec_gate::keys::ApiKeys;
use dropspec_gate::rate_limit::TimeSource;
use dropspec_gate::storage_error::StorageError;
use slog::Logger;

use crate::limits_argument::LimitsEngine;

#[cfg(feature = "redis")]
mod redis;

/// Lets the given engine count the requests of the service with this name.
#[cfg_attr(not(feature = "redis"), allow(unused_variables, clippy::unused_async))]
pub(super) async fn connect(
    service: &str,
    keys: ApiKeys,
    limits: Option<&LimitsEngine>,
    time: TimeSource,
) -> Result<ApiKeys> {
    #[cfg(feature = "redis")]
    if let Some(address) = limits {
        return Ok(keys.with_engine(redis::connect(service, address, time).await?));
    }
    Ok(keys)
}

/// The address of an engine that counts requests; `None` if the database does.
pub(super) fn address_of_engine(keys: &ApiKeys) -> Option<String> {
    #[cfg(feature = "redis")]
    let address = keys.engine().map(|it| it.address().to_string());
    #[cfg(not(feature = "redis"))]
    let address = None;
    address
}

/// Tells an engine what the database has counted of the current windows, if it counted requests before. An engine that
/// knows more goes on with that.
#[cfg_attr(not(feature = "redis"), allow(unused_variables))]
pub(super) async fn adopt_usage(keys: &ApiKeys, now: DateTime<Utc>) -> Result<(), StorageError> {
    #[cfg(feature = "redis")]
    if let Some(engine) = keys.engine() {
        return redis::adopt_usage(engine, keys, now).await;
    }
    Ok(())
}

/// Logs that the engine may forget what keys have used. Starts to log when it cannot be used, when it can again, and when its
/// clock was set; once for each change.
#[cfg_attr(not(feature = "redis"), allow(unused_variables))]
pub(super) async fn log_faults(keys: &ApiKeys, log: &Logger) {
    #[cfg(feature = "redis")]
    if let Some(engine) = keys.engine() {
        redis::log_faults(engine, log).await;
    }
}
