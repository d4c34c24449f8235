//! Bans: who keeps sending after the limit is shut out for a while, longer with each strike. It counts
//! refusals and does the arithmetic; who is refused is decided elsewhere.

use std::collections::VecDeque;

/// When a key is banned, and for how long. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BanPolicy {
    /// How long a refusal is remembered.
    pub memory: i64,
    /// More refusals than this within [`BanPolicy::memory`] are a ban, or than the minute's limit if that is more.
    pub tolerance: u64,
    /// How long a ban lasts that finds no strike in force; each strike doubles it.
    pub first: i64,
    /// The longest that a ban lasts.
    pub longest: i64,
    /// A strike fades for each of these after the last ban's end.
    pub fading: i64,
}

/// What is stored of a key's bans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ban {
    /// Strikes at the last ban's end, that one included.
    pub strikes: u32,
    /// When the last ban ends or ended, in Unix seconds; `None` if there was none.
    pub until: Option<i64>,
    /// How often the operator lifted a ban. Who knows of fewer is out of date.
    pub epoch: i64,
}

/// The refusals of the last minutes, counted by the second, so that their memory is bounded whatever the limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    seconds: VecDeque<(i64, u64)>,
    total: u64,
}

impl Default for BanPolicy {
    fn default() -> BanPolicy {
        BanPolicy {
            memory: 5 * 60,
            tolerance: 30,
            first: 2 * 60,
            longest: 24 * 60 * 60,
            fading: 24 * 60 * 60,
        }
    }
}

impl Ban {
    /// When the ban ends that is in force at `now`; both in Unix seconds.
    pub fn in_force(&self, now: i64) -> Option<i64> {
        self.until.filter(|until| *until > now)
    }

    /// The strikes that have not faded at `now` (Unix seconds).
    pub fn strikes_in_force(&self, policy: &BanPolicy, now: i64) -> u32 {
        let Some(until) = self.until else {
            return self.strikes;
        };
        let faded = (now - until).max(0) / policy.fading;
        self.strikes
            .saturating_sub(u32::try_from(faded).unwrap_or(u32::MAX))
    }

    /// Bans from `now` (Unix seconds) on.
    pub fn strike(&mut self, policy: &BanPolicy, now: i64) {
        let strikes = self.strikes_in_force(policy, now);
        let duration = 1_i64
            .checked_shl(strikes)
            .filter(|factor| *factor > 0)
            .and_then(|factor| policy.first.checked_mul(factor))
            .map_or(policy.longest, |duration| duration.min(policy.longest));
        self.strikes = strikes.saturating_add(1);
        self.until = Some(now + duration);
    }
}

impl Refusals {
    /// Counts a refusal at `now` (Unix seconds, never earlier than the one before). When it is one too many for a
    /// key with this limit a minute, it is the last that counts: the count starts anew, and this returns true.
    pub fn crosses(&mut self, policy: &BanPolicy, per_minute: u64, now: i64) -> bool {
        while let Some((second, count)) = self.seconds.front().copied()
            && second < now - policy.memory
        {
            self.seconds.pop_front();
            self.total -= count;
        }
        match self.seconds.back_mut() {
            Some((second, count)) if *second == now => *count += 1,
            _ => self.seconds.push_back((now, 1)),
        }
        self.total += 1;
        let crossed = self.total > policy.tolerance.max(per_minute);
        if crossed {
            *self = Refusals::default();
        }
        crossed
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const POLICY: BanPolicy = BanPolicy {
        memory: 300,
        tolerance: 30,
        first: 120,
        longest: 86_400,
        fading: 86_400,
    };

    #[test]
    fn the_refusal_beyond_the_threshold_crosses_it_and_clears_the_count() {
        for (per_minute, threshold) in [(1, 30), (30, 30), (60, 60), (1000, 1000)] {
            let mut refusals = Refusals::default();
            let first = (1..).find(|_| refusals.crosses(&POLICY, per_minute, 7));
            assert_eq!(first, Some(threshold + 1));
            assert_eq!(refusals, Refusals::default());
        }
    }

    #[test]
    fn a_refusal_is_forgotten_after_five_minutes() {
        let mut refusals = Refusals::default();
        assert!(!refusals.crosses(&POLICY, 1, 0));
        for _ in 0..29 {
            assert!(!refusals.crosses(&POLICY, 1, 300));
        }
        assert!(
            !refusals.clone().crosses(&POLICY, 1, 301),
            "the first is forgotten"
        );
        assert!(refusals.crosses(&POLICY, 1, 300), "all within five minutes");
    }

    #[test]
    fn memory_is_bounded_whatever_the_limit() {
        let mut refusals = Refusals::default();
        for now in 0..100_000 {
            assert!(!refusals.crosses(&POLICY, 1_000_000, now));
            assert!(refusals.seconds.len() <= 301);
        }
    }

    #[test]
    fn each_strike_doubles_the_ban_up_to_a_day() {
        let mut ban = Ban::default();
        let mut now = 1_000;
        let mut minutes = Vec::new();
        for _ in 0..80 {
            ban.strike(&POLICY, now);
            let until = ban.in_force(now).unwrap();
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
    fn a_strike_fades_for_each_whole_day_after_the_ban() {
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
            assert_eq!(ban.strikes_in_force(&POLICY, now), strikes, "{reason}");
        }
    }

    #[test]
    fn a_ban_ends_at_its_second() {
        let ban = Ban {
            strikes: 1,
            until: Some(1_000),
            epoch: 0,
        };
        assert_eq!(ban.in_force(999), Some(1_000));
        assert_eq!(ban.in_force(1_000), None);
    }
}
