//! The clock of the database, by which windows begin and end however the clocks of servers differ.

use std::sync::Arc;
use std::time::Duration;

use dropspec_rate_limit::clock::{Clock, Time};
use dropspec_rate_limit::{EngineTime, TimeSource};
use dropspec_store::EngineError;
use dropspec_store::postgres::Row;

use super::PostgresKeys;

/// The clock of the database, in Unix microseconds.
pub(super) const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// Clocks that differ by so many seconds count as the same: the first that is in a window opens it.
pub(super) const SKEW: i64 = 2;

impl PostgresKeys {
    /// The time of the database; `None` if that of the caller counts.
    #[inline]
    pub(crate) fn now(&self) -> Option<Time> {
        match self.source {
            TimeSource::Engine => self.time.read(),
            TimeSource::Caller => None,
        }
    }

    /// The clock of the database; `None` if that of the caller counts.
    pub(crate) fn clock(&self) -> Option<Arc<dyn Clock>> {
        match self.source {
            TimeSource::Engine => Some(Arc::clone(self.time.clock()) as _),
            TimeSource::Caller => None,
        }
    }

    /// Reads the clock of the database.
    pub(crate) async fn read_clock(&self) -> Result<(), EngineError> {
        let read = self.engine.read(&self.time, |db, time| {
            Box::pin(async move {
                let sent = time.clock().monotonic();
                observe(time, &db.query(CLOCK, &[]).await?, sent).map(drop)
            })
        });
        read.await
    }
}

/// Takes the time of the database (Unix seconds) from a reply to a statement that was sent at `sent`.
pub(super) fn observe(
    time: &EngineTime,
    reply: &[Row],
    sent: Duration,
) -> Result<i64, EngineError> {
    let micros: i64 = match reply {
        [row] => row.get(0)?,
        _ => return Err(EngineError::internal("the database does not tell its time")),
    };
    let clock = time.clock();
    clock.observe(micros, sent, clock.monotonic());
    // So that each step is noticed, also while no request comes.
    time.read();
    Ok(micros.div_euclid(1_000_000))
}

/// The time at which a window is opened: that of the database, or the server's estimate of it if that is a little ahead.
pub(super) fn opening(time: i64, known: i64) -> i64 {
    if (time..=time + SKEW).contains(&known) {
        known
    } else {
        time
    }
}
