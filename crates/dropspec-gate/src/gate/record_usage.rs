//! Stores the counts of [`OperationCounts`]: a minute after the first request that is not stored, and at the stop.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use slog::Logger;
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::logging::Causes;
use crate::operation_usage::{DAYS_KEPT, OperationCounts, day_of};
use crate::rate_limit::Ledger;
use crate::storage_error::StorageError;

/// How long a count may be in memory only. A crash loses what is.
const STORE_INTERVAL: Duration = Duration::from_secs(60);

/// The largest number of rows in one write, so that other writes get their turn.
const MAX_ROWS_IN_CALL: usize = 2000;

/// How long a server must count on a day for the day to be counted. One that ran for seconds says nothing about a day.
const LEAST_TIME: TimeDelta = TimeDelta::hours(1);

/// Counts the requests of a server, and stores the counts.
#[derive(Debug)]
pub struct UsageRecorder<L> {
    counts: OperationCounts,
    ledger: Arc<L>,
    clock: Arc<dyn Clock>,
    started: DateTime<Utc>,
    /// Whether a task will store the counts.
    is_due: AtomicBool,
    /// The first day of which nothing says yet that it was counted. One task at a time stores counts.
    first_uncounted: Mutex<i64>,
    log: Logger,
}

impl<L: Ledger> UsageRecorder<L> {
    /// Counts from now on.
    pub fn new(
        counts: OperationCounts,
        ledger: Arc<L>,
        clock: Arc<dyn Clock>,
        log: Logger,
    ) -> UsageRecorder<L> {
        let started = clock.now();
        UsageRecorder {
            counts,
            ledger,
            is_due: AtomicBool::new(false),
            started,
            first_uncounted: Mutex::new(day_of(started + LEAST_TIME)),
            clock,
            log,
        }
    }

    /// Counts a request of a key to an operation.
    pub fn count(self: &Arc<Self>, operation: usize, key_id: i64, time: DateTime<Utc>) {
        self.counts.count(operation, key_id, time);
        // Whoever stores the counts resets it first, and so finds this one or is followed by another.
        if !self.is_due.load(Ordering::Relaxed) {
            self.store_later();
        }
    }

    /// Counts that a request used these deprecated inputs of an operation.
    pub fn count_inputs(
        self: &Arc<Self>,
        operation: usize,
        inputs: &[usize],
        key_id: i64,
        time: DateTime<Utc>,
    ) {
        for input in inputs {
            self.counts.count_input(operation, *input, key_id, time);
            if !self.is_due.load(Ordering::Relaxed) {
                self.store_later();
            }
        }
    }

    /// Starts a task that stores the counts in a minute, if there is none.
    #[cold]
    fn store_later(self: &Arc<Self>) {
        if self.is_due.swap(true, Ordering::Relaxed) {
            return;
        }
        // A server that has stopped is not kept in memory.
        let recorder = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(STORE_INTERVAL).await;
            let Some(recorder) = recorder.upgrade() else {
                return;
            };
            if let Err(error) = recorder.store().await {
                // An outage has a line of its own.
                if !matches!(error, StorageError::OutOfUse(_)) {
                    slog::warn!(recorder.log, "the usage of operations cannot be stored; it is tried again";
                        "error" => %Causes(&error));
                }
                recorder.store_later();
            }
        });
    }

    /// Stores all counts. What cannot be stored stays in memory.
    pub async fn store(&self) -> Result<(), StorageError> {
        let mut first_uncounted = self.first_uncounted.lock().await;
        self.is_due.store(false, Ordering::Relaxed);
        let now = self.clock.now();
        let today = day_of(now);
        let last = (now - self.started >= LEAST_TIME).then(|| day_of(now - LEAST_TIME));
        let days = last.map(|last| counted_days(*first_uncounted, last));
        let unstored = self.counts.unstored(days.into_iter().flatten());
        let rows: Vec<_> = unstored.iter().collect();
        for rows in rows.chunks(MAX_ROWS_IN_CALL) {
            let counts = rows
                .iter()
                .map(|(id, requests)| self.counts.to_row(id, **requests));
            let stored = self
                .ledger
                .add_operation_usage(counts.collect(), today - DAYS_KEPT);
            stored.await?;
            self.counts.mark_stored(rows.iter().copied());
        }
        *first_uncounted = last.map_or(*first_uncounted, |last| last + 1);
        self.counts.remove_stored(today);
        Ok(())
    }
}

/// The days from the first that is not known to be counted until the last that is, as far as they are kept. A server counts
/// while nobody calls it, too.
fn counted_days(first_uncounted: i64, last: i64) -> RangeInclusive<i64> {
    first_uncounted.max(last - DAYS_KEPT)..=last
}

#[cfg(test)]
mod tests {
    use super::counted_days;

    #[test]
    fn days_without_requests_are_counted_as_far_as_they_are_kept() {
        let days = |first, today| counted_days(first, today).collect::<Vec<i64>>();
        assert_eq!(days(7, 9), [7, 8, 9]);
        assert!(days(10, 9).is_empty(), "known, or the clock was set back");
        assert_eq!(days(0, 1_000_000).len(), 101, "the clock was set forward");
    }
}
