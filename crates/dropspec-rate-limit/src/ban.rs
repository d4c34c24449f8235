//! Bans: a key that keeps sending after its limit is banned for a while, longer with each strike. This module counts
//! refused requests and computes durations; `decide` refuses requests.

use std::collections::VecDeque;

/// Seconds for which a refused request counts towards a ban.
const REFUSAL_MEMORY: i64 = 5 * 60;

/// The number of refused requests after which a key is banned, or its limit per minute if that is more.
const MIN_THRESHOLD: u64 = 30;

/// The duration of a ban without earlier strikes, in seconds; each strike doubles it.
const FIRST_DURATION: i64 = 2 * 60;

/// The longest duration of a ban, in seconds.
const MAX_DURATION: i64 = 24 * 60 * 60;

/// Seconds after the end of the last ban until one strike expires. Each further strike takes as long again.
const STRIKE_LIFETIME: i64 = 24 * 60 * 60;

/// The last ban of a key and its strikes, as the ledger stores them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ban {
    /// Strikes at the end of the last ban, including that ban.
    pub strikes: u32,
    /// The end of the last ban, in Unix seconds; `None` if there was none.
    pub until: Option<i64>,
    /// How often the operator lifted a ban. A `Ban` with a lower number is out of date.
    pub epoch: i64,
}

/// The number of refused requests of a key in each recent second. So the memory is bounded for any limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentRefusals {
    seconds: VecDeque<(i64, u64)>,
    total: u64,
}

impl Ban {
    /// The end of the ban if the key is banned at `now`, otherwise `None`; both in Unix seconds.
    pub fn active_until(&self, now: i64) -> Option<i64> {
        self.until.filter(|until| *until > now)
    }

    /// The number of strikes that have not expired at `now` (Unix seconds).
    pub fn active_strikes(&self, now: i64) -> u32 {
        let Some(until) = self.until else {
            return self.strikes;
        };
        let expired = (now - until).max(0) / STRIKE_LIFETIME;
        self.strikes
            .saturating_sub(u32::try_from(expired).unwrap_or(u32::MAX))
    }

    /// Starts a ban at `now` (Unix seconds), and adds a strike.
    pub fn start(&mut self, now: i64) {
        let strikes = self.active_strikes(now);
        self.strikes = strikes.saturating_add(1);
        self.until = Some(now + duration_after(strikes));
    }

    /// The ban as it is to be read from the ledger at `now` (Unix seconds). It lasts no longer from now on than its strikes
    /// allow, as it may have been stored by a clock that was ahead.
    #[must_use]
    pub fn read_at(self, now: i64) -> Ban {
        self.ended_by(now.saturating_add(duration_after(self.strikes.saturating_sub(1))))
    }

    /// The ban if it ends at `end` (Unix seconds) or earlier, otherwise one that ends then.
    #[must_use]
    pub fn ended_by(self, end: i64) -> Ban {
        Ban {
            until: self.until.map(|until| until.min(end)),
            ..self
        }
    }

    /// The ban after a clock step by so many seconds: what is left of it stays.
    #[must_use]
    pub fn shifted_by(self, seconds: i64) -> Ban {
        Ban {
            until: self.until.map(|until| until.saturating_add(seconds)),
            ..self
        }
    }
}

/// What clients need to know of bans, in a paragraph of Markdown.
pub fn describe_bans() -> String {
    let (memory, first) = (REFUSAL_MEMORY / 60, FIRST_DURATION / 60);
    let [longest, lifetime] = [MAX_DURATION, STRIKE_LIFETIME].map(|seconds| seconds / (60 * 60));
    format!(
        "A key with more than {MIN_THRESHOLD} refused requests within {memory} minutes, and more than its limit a minute, is \
         banned for {first} minutes: all of its requests are answered with 429, and `Retry-After` says for how long. Each \
         further ban within {lifetime} hours lasts twice as long, up to {longest} hours. A client that waits for as long as \
         `Retry-After` says is never banned."
    )
}

/// The duration of a ban after so many strikes, in seconds.
fn duration_after(strikes: u32) -> i64 {
    1_i64
        .checked_shl(strikes)
        .filter(|factor| *factor > 0)
        .and_then(|factor| FIRST_DURATION.checked_mul(factor))
        .map_or(MAX_DURATION, |duration| duration.min(MAX_DURATION))
}

impl RecentRefusals {
    /// Adds a refused request at `now` (seconds of a clock without steps, never earlier than the one before).
    pub fn add(&mut self, now: i64) {
        while let Some((second, count)) = self.seconds.front().copied()
            && second < now - REFUSAL_MEMORY
        {
            self.seconds.pop_front();
            self.total -= count;
        }
        if self.seconds.is_empty() {
            // Most keys are refused seldom.
            self.seconds.shrink_to_fit();
        }
        match self.seconds.back_mut() {
            Some((second, count)) if *second == now => *count += 1,
            _ => self.seconds.push_back((now, 1)),
        }
        self.total += 1;
    }

    /// Whether so many count that a key with this limit per minute has to be banned.
    pub fn exceed_threshold(&self, per_minute: u64) -> bool {
        self.total > MIN_THRESHOLD.max(per_minute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_exceed_30_or_the_limit_a_minute() {
        for (per_minute, threshold) in [(1, 30), (30, 30), (60, 60), (1000, 1000)] {
            let mut refusals = RecentRefusals::default();
            for number in 1..=threshold + 1 {
                refusals.add(7);
                let expected = number > threshold;
                assert_eq!(refusals.exceed_threshold(per_minute), expected);
            }
        }
    }

    #[test]
    fn refusal_stops_counting_after_five_minutes() {
        let mut refusals = RecentRefusals::default();
        refusals.add(0);
        for _ in 0..29 {
            refusals.add(300);
        }
        for (now, exceeds) in [(301, false), (300, true)] {
            let mut refusals = refusals.clone();
            refusals.add(now);
            assert_eq!(refusals.exceed_threshold(1), exceeds, "at {now}");
        }
    }

    #[test]
    fn recent_refusals_keep_at_most_301_seconds() {
        let mut refusals = RecentRefusals::default();
        for now in 0..100_000 {
            refusals.add(now);
            assert!(refusals.seconds.len() <= 301);
        }
    }

    #[test]
    fn each_strike_doubles_ban_up_to_one_day() {
        let mut ban = Ban::default();
        let mut now = 1_000;
        let mut minutes = Vec::new();
        for _ in 0..80 {
            ban.start(now);
            let until = ban.active_until(now).unwrap();
            minutes.push((until - now) / 60);
            now = until;
        }
        assert_eq!(
            minutes[..11],
            [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440]
        );
        assert!(minutes[11..].iter().all(|duration| *duration == 1440));
    }

    #[test]
    fn one_strike_expires_per_whole_day_after_ban() {
        let ban = Ban {
            strikes: 3,
            until: Some(1_000),
            epoch: 0,
        };
        let cases = [
            (0, 3, "during the ban"),
            (1_000, 3, "at its end"),
            (1_000 + 86_399, 3, "not yet a day"),
            (1_000 + 86_400, 2, "a day"),
            (1_000 + 3 * 86_400, 0, "all are gone"),
            (1_000 + 9 * 86_400, 0, "never less than none"),
        ];
        for (now, strikes, reason) in cases {
            assert_eq!(ban.active_strikes(now), strikes, "{reason}");
        }
    }

    #[test]
    fn ban_is_inactive_from_its_last_second_on() {
        let ban = Ban {
            strikes: 1,
            until: Some(1_000),
            epoch: 0,
        };
        assert_eq!(ban.active_until(999), Some(1_000));
        assert_eq!(ban.active_until(1_000), None);
    }
}
