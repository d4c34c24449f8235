//! How long the requests of an operation took: their sum, the longest, and percentiles, in memory of a fixed size.

use std::time::Duration;

/// Times up to two to this power, in microseconds, are counted together.
const LEAST_POWER: u32 = 6;

/// Times from two to this power on, about 17 seconds in microseconds, are counted together.
const MOST_POWER: u32 = 24;

/// The number of ranges in which times between a power of two and the next one are counted.
const PARTS: usize = 4;

const RANGES: usize = (MOST_POWER - LEAST_POWER) as usize * PARTS + 1;

/// The times of requests, counted in ranges whose ends are at most a quarter apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latencies {
    ranges: [u32; RANGES],
    requests: u64,
    sum: Duration,
    longest: Duration,
}

impl Default for Latencies {
    fn default() -> Latencies {
        Latencies {
            ranges: [0; RANGES],
            requests: 0,
            sum: Duration::ZERO,
            longest: Duration::ZERO,
        }
    }
}

impl Latencies {
    /// Counts the time of a request.
    pub(super) fn add(&mut self, latency: Duration) {
        let range = &mut self.ranges[range_of(latency)];
        *range = range.saturating_add(1);
        self.requests += 1;
        self.sum = self.sum.saturating_add(latency);
        self.longest = self.longest.max(latency);
    }

    /// Adds the requests of others.
    pub fn merge(&mut self, other: &Latencies) {
        for (range, count) in self.ranges.iter_mut().zip(&other.ranges) {
            *range = range.saturating_add(*count);
        }
        self.requests += other.requests;
        self.sum = self.sum.saturating_add(other.sum);
        self.longest = self.longest.max(other.longest);
    }

    /// The number of requests.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// The longest time.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The mean.
    pub fn mean(&self) -> Duration {
        let requests = u32::try_from(self.requests.max(1)).unwrap_or(u32::MAX);
        self.sum / requests
    }

    /// A time that so many requests in a hundred did not exceed. It is the end of a range: at most a quarter too long.
    pub fn percentile(&self, percent: u64) -> Duration {
        let rank = (self.requests * percent).div_ceil(100).max(1);
        let mut counted = 0;
        for (range, count) in self.ranges.iter().enumerate() {
            counted += u64::from(*count);
            if counted >= rank {
                return end_of(range).min(self.longest);
            }
        }
        self.longest
    }
}

/// The range in which a time is counted.
fn range_of(latency: Duration) -> usize {
    let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    let micros = micros.clamp(1 << LEAST_POWER, 1 << MOST_POWER);
    let power = micros.ilog2();
    let part = (micros >> (power - 2)) as usize % PARTS;
    (power - LEAST_POWER) as usize * PARTS + part
}

/// The longest time of a range.
fn end_of(range: usize) -> Duration {
    let (power, part) = (range / PARTS, range % PARTS);
    if range + 1 < RANGES {
        Duration::from_micros((part as u64 + 5) << (power as u32 + LEAST_POWER - 2))
    } else {
        Duration::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_at_most_a_quarter_too_long() {
        let mut latencies = Latencies::default();
        // 1 ms to 1 s.
        for milliseconds in 1..=1000 {
            latencies.add(Duration::from_millis(milliseconds));
        }
        for (percent, exact) in [(1, 10), (50, 500), (95, 950), (99, 990), (100, 1000)] {
            let found = latencies.percentile(percent);
            let exact = Duration::from_millis(exact);
            assert!(
                found >= exact && found <= exact * 5 / 4,
                "{percent}: {found:?}"
            );
        }
        assert_eq!(latencies.mean(), Duration::from_micros(500_500));
        assert_eq!(latencies.longest(), Duration::from_secs(1));
    }

    #[test]
    fn times_outside_of_all_ranges_are_counted() {
        for latency in [
            Duration::ZERO,
            Duration::from_nanos(1),
            Duration::from_secs(60),
            Duration::MAX,
        ] {
            let mut latencies = Latencies::default();
            latencies.add(latency);
            latencies.add(latency);
            assert_eq!(latencies.percentile(50), latency);
            assert_eq!(latencies.requests(), 2);
        }
        assert_eq!(Latencies::default().percentile(99), Duration::ZERO);
    }
}
