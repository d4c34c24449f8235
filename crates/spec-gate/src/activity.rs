//! What a server answered in the last hour and day, by operation, status and key, with times: for the page of the operator. The
//! counts are in memory only, and bounded. It knows no HTTP and reads no clock.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

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
pub(crate) struct Subject {
    /// The name of the operation or of another target.
    pub operation: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The sender.
    pub key: Sender,
}

/// Who sent a request, as far as it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Sender {
    /// Nobody with a valid key.
    Anonymous,
    /// A key.
    Key(KeyPrefix),
    /// A key beyond the number that is told apart.
    Other,
}

/// The requests of a subject.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// How many there were.
    pub requests: u64,
    /// The sum of their times.
    pub time: Duration,
    /// The longest of their times.
    pub longest: Duration,
}

/// A span of time that ends now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    /// The current minute and the 59 before.
    Hour,
    /// The current hour and the 23 before.
    Day,
}

/// Counts the responses of a server.
#[derive(Debug, Default)]
pub(crate) struct Activity(Mutex<Slots>);

type Counts = FxHashMap<Subject, Count>;

#[derive(Debug, Default)]
struct Slots {
    /// The number of the current minute since 1970.
    minute: i64,
    current: Counts,
    /// The minutes before, the newest last.
    minutes: VecDeque<(i64, Counts)>,
    /// The hours, without the current minute, the newest last.
    hours: VecDeque<(i64, Counts)>,
}

impl Activity {
    /// Counts a response at `now` (Unix seconds).
    pub(crate) fn count(&self, subject: Subject, latency: Duration, now: i64) {
        let mut slots = self.lock();
        if now.div_euclid(MINUTE) != slots.minute {
            slots.begin_minute(now.div_euclid(MINUTE));
        }
        add(&mut slots.current, subject, Count::of(latency));
    }

    /// The counts of a period that ends at `now` (Unix seconds).
    pub(crate) fn counts(&self, period: Period, now: i64) -> Vec<(Subject, Count)> {
        let slots = self.lock();
        let mut sum = Counts::default();
        let (past, first, length) = match period {
            Period::Hour => (&slots.minutes, now.div_euclid(MINUTE) - MINUTES + 1, MINUTE),
            Period::Day => (&slots.hours, now.div_euclid(HOUR) - HOURS + 1, HOUR),
        };
        let current = (slots.minute * MINUTE / length, &slots.current);
        let past = past.iter().map(|(number, counts)| (*number, counts));
        let counts = past
            .chain([current])
            .filter(|(number, _)| *number >= first)
            .flat_map(|(_, counts)| counts);
        for (subject, count) in counts {
            sum.entry(*subject).or_default().add(*count);
        }
        sum.into_iter().collect()
    }

    /// The responses of each of the last 60 minutes, the current one last: all, and those with a status of 500 or more.
    pub(crate) fn minutes(&self, now: i64) -> Vec<[u64; 2]> {
        let slots = self.lock();
        let last = now.div_euclid(MINUTE);
        let mut minutes = vec![[0; 2]; MINUTES as usize];
        let past = slots
            .minutes
            .iter()
            .map(|(number, counts)| (*number, counts));
        for (number, counts) in past.chain([(slots.minute, &slots.current)]) {
            let index = usize::try_from(number - last + MINUTES - 1).ok();
            let Some([all, failed]) = index.and_then(|it| minutes.get_mut(it)) else {
                continue;
            };
            for (subject, count) in counts {
                *all += count.requests;
                *failed += if subject.status >= 500 {
                    count.requests
                } else {
                    0
                };
            }
        }
        minutes
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slots {
    /// Closes the current minute. If the clock was set back, what was counted stays where it is.
    #[cold]
    fn begin_minute(&mut self, minute: i64) {
        let closed = std::mem::take(&mut self.current);
        let number = std::mem::replace(&mut self.minute, minute);
        if closed.is_empty() {
            return;
        }
        let hour = number * MINUTE / HOUR;
        if self.hours.back().is_none_or(|(number, _)| *number != hour) {
            self.hours.push_back((hour, Counts::default()));
        }
        if let Some((_, counts)) = self.hours.back_mut() {
            for (subject, count) in &closed {
                add(counts, *subject, *count);
            }
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

impl Count {
    fn of(latency: Duration) -> Count {
        Count {
            requests: 1,
            time: latency,
            longest: latency,
        }
    }

    /// Adds the requests of another count.
    pub(crate) fn add(&mut self, other: Count) {
        self.requests += other.requests;
        self.time = self.time.saturating_add(other.time);
        self.longest = self.longest.max(other.longest);
    }
}

/// Adds a count to a slot. If the slot is full, keys that it does not have are counted together.
fn add(counts: &mut Counts, subject: Subject, count: Count) {
    match counts.get_mut(&subject) {
        Some(known) => known.add(count),
        None => {
            let key = match subject.key {
                Sender::Key(_) if counts.len() >= MAX_COUNTS => Sender::Other,
                key => key,
            };
            counts
                .entry(Subject { key, ..subject })
                .or_default()
                .add(count);
        }
    }
}

#[cfg(test)]
mod tests;
