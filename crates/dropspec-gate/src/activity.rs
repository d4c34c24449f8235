//! What a server answered in the last hour and day, by operation, status and key, and how long it took: for the page of the
//! operator. The counts are in memory only, and bounded. It knows no HTTP and reads no clock.

mod latencies;

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

pub use self::latencies::Latencies;
use crate::auth::KeyPrefix;

/// The length of a slot of the last hour, in seconds.
const MINUTE: i64 = 60;

/// The number of slots of the last hour, the current one included.
const MINUTES: i64 = 60;

/// The length of a slot of the last day, in seconds.
const HOUR: i64 = 60 * MINUTE;

/// The number of slots of the last day, the current one included.
const HOURS: i64 = 24;

/// The largest number of counts in a slot whose keys are told apart.
const MAX_COUNTS: usize = 1000;

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// The name of the operation or of another target.
    pub operation: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The sender.
    pub key: Sender,
}

/// Who sent a request, as far as it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sender {
    /// Nobody with a valid key.
    Anonymous,
    /// A key.
    Key(KeyPrefix),
    /// A key beyond the number that is told apart.
    Other,
}

/// A span of time that ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// The current minute and the 59 before.
    Hour,
    /// The current hour and the 23 before.
    Day,
}

/// What was answered in a period.
#[derive(Debug)]
pub struct Summary {
    /// The number of requests of each subject.
    pub counts: Vec<(Subject, u64)>,
    /// The times of each operation.
    pub latencies: Vec<(&'static str, Latencies)>,
    /// When the first slot began (Unix seconds).
    pub start: i64,
    /// The length of a slot, in seconds.
    pub step: i64,
    /// The requests of each slot, the current one last: by status those below 400, those below 500, and the others.
    pub slots: Vec<[u64; 3]>,
}

/// Counts the responses of a server.
#[derive(Debug, Default)]
pub struct Activity(Mutex<Slots>);

#[derive(Debug, Default)]
struct Slots {
    /// The number of the current minute since 1970.
    minute: i64,
    current: Slot,
    /// The minutes before, the newest last.
    minutes: VecDeque<(i64, Slot)>,
    /// The hours, without the current minute, the newest last.
    hours: VecDeque<(i64, Slot)>,
}

/// What was answered in a minute or an hour.
#[derive(Debug, Default)]
struct Slot {
    counts: FxHashMap<Subject, u64>,
    /// Boxed, as they are large.
    latencies: FxHashMap<&'static str, Box<Latencies>>,
}

impl Period {
    /// The length of a slot in seconds, and the number of slots.
    fn slots(self) -> (i64, i64) {
        match self {
            Period::Hour => (MINUTE, MINUTES),
            Period::Day => (HOUR, HOURS),
        }
    }
}

impl Activity {
    /// Counts a response at `now` (Unix seconds).
    pub fn count(&self, subject: Subject, latency: Duration, now: i64) {
        let mut slots = self.0.lock();
        if now.div_euclid(MINUTE) != slots.minute {
            slots.close_minute(now.div_euclid(MINUTE));
        }
        slots.current.add(subject, 1);
        let latencies = slots.current.latencies.entry(subject.operation);
        latencies.or_default().add(latency);
    }

    /// What was answered in the period that ends at `now` (Unix seconds).
    pub fn summary(&self, period: Period, now: i64) -> Summary {
        let state = self.0.lock();
        let (step, number) = period.slots();
        let first = now.div_euclid(step) - number + 1;
        let past = match period {
            Period::Hour => &state.minutes,
            Period::Day => &state.hours,
        };
        let current = (state.minute * MINUTE / step, &state.current);
        let past = past.iter().map(|(number, slot)| (*number, slot));
        let mut sum = Slot::default();
        let mut slots = vec![[0; 3]; number as usize];
        for (number, slot) in past.chain([current]).filter(|(number, _)| *number >= first) {
            // If the clock was set back, the newest slots are those of the future.
            let index = usize::try_from(number - first).unwrap_or(usize::MAX);
            let index = index.min(slots.len() - 1);
            for (subject, count) in &slot.counts {
                *sum.counts.entry(*subject).or_default() += count;
                let class = usize::from(subject.status >= 400) + usize::from(subject.status >= 500);
                slots[index][class] += count;
            }
            sum.merge_latencies(slot);
        }
        let latencies = sum.latencies.into_iter().map(|(name, it)| (name, *it));
        Summary {
            counts: sum.counts.into_iter().collect(),
            latencies: latencies.collect(),
            start: first * step,
            step,
            slots,
        }
    }
}

impl Slots {
    /// Closes the current minute, and starts the minute `next`. If the clock was set back, what was counted stays where it is.
    #[cold]
    fn close_minute(&mut self, next: i64) {
        let closed = std::mem::take(&mut self.current);
        let number = std::mem::replace(&mut self.minute, next);
        if closed.counts.is_empty() {
            return;
        }
        let hour = number * MINUTE / HOUR;
        if self.hours.back().is_none_or(|(number, _)| *number != hour) {
            self.hours.push_back((hour, Slot::default()));
        }
        if let Some((_, slot)) = self.hours.back_mut() {
            for (subject, count) in &closed.counts {
                slot.add(*subject, *count);
            }
            slot.merge_latencies(&closed);
        }
        self.minutes.push_back((number, closed));
        while self.minutes.len() >= MINUTES as usize {
            self.minutes.pop_front();
        }
        while self.hours.len() > HOURS as usize {
            self.hours.pop_front();
        }
    }
}

impl Slot {
    fn merge_latencies(&mut self, other: &Slot) {
        for (operation, latencies) in &other.latencies {
            let of_operation = self.latencies.entry(operation);
            of_operation.or_default().merge(latencies);
        }
    }

    /// Adds requests. If the slot is full, keys that it does not have are counted together.
    fn add(&mut self, subject: Subject, requests: u64) {
        match self.counts.get_mut(&subject) {
            Some(known) => *known += requests,
            None => {
                let key = match subject.key {
                    Sender::Key(_) if self.counts.len() >= MAX_COUNTS => Sender::Other,
                    key => key,
                };
                let subject = Subject { key, ..subject };
                *self.counts.entry(subject).or_default() += requests;
            }
        }
    }
}

#[cfg(test)]
mod tests;
