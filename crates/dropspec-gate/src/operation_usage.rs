//! How many requests of each key each operation admitted on each day (UTC), and how many of them used a deprecated parameter
//! or property: counts in memory, which [`gate`](crate::gate) stores once a minute. It knows no HTTP and reads no clock.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use dropspec_runtime::{Decoder, OperationInfo};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::rate_limit::OperationCount;

/// The id under which requests without a key are counted.
pub const WITHOUT_KEY: i64 = 0;

/// The id under which requests are counted whose sender has no key in the database, such as the subject of a token.
pub const TOKENS: i64 = -1;

/// The id under which the requests of further keys are counted when there are [`MAX_COUNTS`].
pub const OTHER_KEYS: i64 = -2;

/// So many days are kept, and the current one.
pub const DAYS_KEPT: i64 = 100;

/// The largest number of counts in memory: pairs of a key and an operation or input that a server saw since its start on a day.
pub const MAX_COUNTS: usize = 50_000;

/// The counts of a server.
#[derive(Debug)]
pub struct OperationCounts {
    /// Each operation, followed by its deprecated inputs.
    targets: Vec<Target>,
    /// The index of each operation in `targets`.
    operations: Vec<usize>,
    counts: Mutex<FxHashMap<CountId, Count>>,
    max: usize,
}

/// What is counted: an operation, or a deprecated input of it.
#[derive(Debug)]
struct Target {
    operation: &'static str,
    input: String,
}

/// A row, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountId {
    day: i64,
    /// The index of the target.
    target: usize,
    key_id: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    requests: u64,
    /// How many of them are stored.
    stored: u64,
}

/// Requests to be added to what is stored, by their rows.
pub type Unstored = BTreeMap<CountId, u64>;

impl OperationCounts {
    /// Without counts, for these operations and their deprecated inputs.
    pub fn new(operations: &[OperationInfo], decoder: &Decoder) -> OperationCounts {
        OperationCounts::with_limit(operations, MAX_COUNTS, |index| {
            decoder.deprecated_inputs(index)
        })
    }

    fn with_limit<'i>(
        operations: &[OperationInfo],
        max: usize,
        inputs: impl Fn(usize) -> &'i [String],
    ) -> OperationCounts {
        let (mut targets, mut first) = (Vec::new(), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            first.push(targets.len());
            let inputs = inputs(index).iter().cloned();
            targets.extend(
                [String::new()]
                    .into_iter()
                    .chain(inputs)
                    .map(|input| Target {
                        operation: operation.operation_id,
                        input,
                    }),
            );
        }
        OperationCounts {
            targets,
            operations: first,
            counts: Mutex::default(),
            max,
        }
    }

    /// Counts a request of a key to an operation.
    pub fn count(&self, operation: usize, key_id: i64, time: DateTime<Utc>) {
        self.add(self.operations[operation], key_id, time);
    }

    /// Counts that a request used a deprecated input of its operation.
    pub fn count_input(&self, operation: usize, input: usize, key_id: i64, time: DateTime<Utc>) {
        self.add(self.operations[operation] + 1 + input, key_id, time);
    }

    fn add(&self, target: usize, key_id: i64, time: DateTime<Utc>) {
        let mut id = CountId {
            day: day_of(time),
            target,
            key_id: key_id.max(TOKENS),
        };
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&id) {
            count.requests += 1;
            return;
        }
        if counts.len() >= self.max {
            // There are no more rows of these than targets.
            id.key_id = OTHER_KEYS;
        }
        counts.entry(id).or_default().requests += 1;
    }

    /// What is not stored yet. `days` were counted, so that each target has a row, if only of 0 requests.
    pub fn unstored(&self, days: impl Iterator<Item = i64>) -> Unstored {
        let mut unstored = Unstored::new();
        for day in days {
            let rows = (0..self.targets.len()).map(|target| CountId {
                day,
                target,
                key_id: WITHOUT_KEY,
            });
            unstored.extend(rows.map(|id| (id, 0)));
        }
        for (id, count) in self.counts.lock().iter() {
            if count.requests > count.stored {
                *unstored.entry(*id).or_default() += count.requests - count.stored;
            }
        }
        unstored
    }

    /// Marks requests as stored.
    pub fn mark_stored<'r>(&self, rows: impl Iterator<Item = (&'r CountId, &'r u64)>) {
        let mut counts = self.counts.lock();
        for (id, requests) in rows {
            if let Some(count) = counts.get_mut(id) {
                count.stored += requests;
            }
        }
    }

    /// Removes the stored counts of days other than `today`.
    pub fn remove_stored(&self, today: i64) {
        let mut counts = self.counts.lock();
        counts.retain(|id, count| id.day == today || count.requests > count.stored);
    }

    /// A row as it is stored.
    pub fn to_row(&self, id: &CountId, requests: u64) -> OperationCount {
        let target = &self.targets[id.target];
        OperationCount {
            day: id.day,
            operation: target.operation.to_owned(),
            input: target.input.clone(),
            key_id: id.key_id,
            requests,
        }
    }
}

/// The number of a day, from 1970-01-01.
pub fn day_of(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(24 * 60 * 60)
}

/// The date of a day; `None` if the calendar does not reach it.
pub fn date_of(day: i64) -> Option<NaiveDate> {
    let time = DateTime::from_timestamp(day.checked_mul(24 * 60 * 60)?, 0);
    time.map(|time| time.date_naive())
}

#[cfg(test)]
mod tests;
