//! Wrong tokens of the operator, which may be guesses: how many came from an address and in all. The time is an argument, in
//! seconds by a clock that is never set.

use std::net::{IpAddr, Ipv4Addr};

use dropspec_gate::rate_limit::{AddressWindows, Now, RateLimits};
use parking_lot::Mutex;

/// After so many wrong tokens of an address in a minute, its further ones are slowed down.
const OF_ADDRESS: RateLimits = RateLimits::new(10, u64::MAX);

/// After so many of all addresses in a minute, those of everybody.
const IN_ALL: RateLimits = RateLimits::new(100, u64::MAX);

/// The number of addresses in memory.
const MAX_ADDRESSES: usize = 1000;

/// The seconds between two lines of the log.
const LOG_PAUSE: i64 = 60;

/// Counts wrong tokens.
pub(super) struct Guesses(Mutex<Counts>);

struct Counts {
    windows: AddressWindows,
    all: u64,
    unlogged: u64,
    logged_at: Option<i64>,
}

impl Default for Guesses {
    fn default() -> Guesses {
        Guesses(Mutex::new(Counts {
            windows: AddressWindows::new(MAX_ADDRESSES),
            all: 0,
            unlogged: 0,
            logged_at: None,
        }))
    }
}

impl Guesses {
    /// The seconds for which tokens from `address` are slowed down, if they are.
    pub(super) fn slowed_for(&self, address: IpAddr, now: i64) -> Option<i64> {
        let mut counts = self.0.lock();
        let limited = limits_of(address)
            .into_iter()
            .filter_map(|(sender, limits)| {
                let usage = counts.windows.charge(limits, sender, 0, &Now::at(now));
                let usage = usage.rate_limit;
                (usage.remaining == 0).then_some(usage.reset - now)
            });
        limited.max()
    }

    /// Counts a wrong token from `address`. Returns the number since the last line of the log, when the next line is due.
    pub(super) fn note(&self, address: IpAddr, now: i64) -> Option<u64> {
        let mut counts = self.0.lock();
        for (sender, limits) in limits_of(address) {
            counts.windows.charge(limits, sender, 1, &Now::at(now));
        }
        counts.all += 1;
        counts.unlogged += 1;
        let is_due = counts.logged_at.is_none_or(|it| now - it >= LOG_PAUSE);
        is_due.then(|| {
            counts.logged_at = Some(now);
            std::mem::take(&mut counts.unlogged)
        })
    }

    /// The number of wrong tokens since the start.
    pub(super) fn count(&self) -> u64 {
        self.0.lock().all
    }
}

/// The limits that concern an address. All addresses are counted together under one that nobody has.
fn limits_of(address: IpAddr) -> [(IpAddr, RateLimits); 2] {
    let everybody = Ipv4Addr::UNSPECIFIED.into();
    [(address, OF_ADDRESS), (everybody, IN_ALL)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 1_800_000_000;

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    #[test]
    fn address_is_slowed_down_after_10_wrong_tokens_and_everybody_after_100_until_the_minute_ends()
    {
        let guesses = Guesses::default();
        let wrong = |last, times| {
            for _ in 0..times {
                guesses.note(address(last), MINUTE + 50);
            }
        };
        let slowed = |last, second| guesses.slowed_for(address(last), MINUTE + second);
        wrong(1, 9);
        assert_eq!(slowed(1, 50), None);
        wrong(1, 1);
        assert_eq!((slowed(1, 50), slowed(2, 50)), (Some(10), None));
        (2..11).for_each(|last| wrong(last, 10));
        assert_eq!(
            (slowed(99, 59), slowed(99, 60), slowed(1, 60)),
            (Some(1), None, None)
        );
        assert_eq!(guesses.count(), 100);
    }

    #[test]
    fn line_of_the_log_is_due_once_a_minute_with_the_number_since_the_last() {
        let guesses = Guesses::default();
        let due = [0, 0, 30, 59, 60, 61, 119, 125]
            .map(|second| guesses.note(address(1), MINUTE + second));
        assert_eq!(
            due,
            [Some(1), None, None, None, Some(4), None, None, Some(3)]
        );
    }
}
