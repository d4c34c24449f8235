//! Callers without a valid key, counted by their address: in memory alone, never banned, and never more of them than
//! the cap.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use super::policy::Policy;
use super::standing::{Outcome, Verdict};
use super::tally::Tally;
use super::window::{Window, Windows};

/// What an anonymous request costs, whatever it asks for.
const COST: u64 = 1;

/// The addresses seen today.
#[derive(Debug)]
pub(super) struct Addresses {
    seen: HashMap<Origin, Windows>,
    /// What newcomers share when there is no room for more.
    shared: Windows,
    /// The day of the last sweep, in Unix seconds.
    swept: i64,
    /// What was counted.
    pub(super) tally: Tally,
}

/// What is taken for one caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Origin {
    V4(Ipv4Addr),
    /// The first 64 bits, as whoever has one address of a /64 has them all.
    V6([u16; 4]),
}

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Origin {
        match address.to_canonical() {
            IpAddr::V4(address) => Origin::V4(address),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Origin::V6([a, b, c, d])
            }
        }
    }
}

impl Addresses {
    pub(super) fn new() -> Addresses {
        Addresses {
            seen: HashMap::new(),
            shared: Windows::at(i64::MIN / 2),
            swept: i64::MIN,
            tally: Tally::default(),
        }
    }

    /// Decides on a request from `address` at `now` (Unix seconds, never earlier than before).
    pub(super) fn charge(&mut self, policy: &Policy, address: IpAddr, now: i64) -> Verdict {
        let limits = policy.anonymous;
        let windows = self.windows(policy.address_cap, address.into(), now);
        windows.advance(now);
        let verdict = match windows.violated(limits, COST) {
            Some(window) => {
                let standing = windows.standing_in(window, limits).refused_at(now);
                Verdict::new(Outcome::RateLimited(window), standing)
            }
            None => {
                windows.minute.used += COST;
                windows.day.used += COST;
                Verdict::new(Outcome::Admitted, windows.standing(limits))
            }
        };
        self.tally.count(verdict.outcome);
        verdict
    }

    /// How many addresses are told apart.
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    fn windows(&mut self, cap: usize, origin: Origin, now: i64) -> &mut Windows {
        if !self.seen.contains_key(&origin) {
            if self.seen.len() >= cap {
                self.sweep(now);
            }
            if self.seen.len() >= cap {
                return &mut self.shared;
            }
        }
        self.seen.entry(origin).or_insert_with(|| Windows::at(now))
    }

    /// Lets go of who was not seen today: their windows are over. A second sweep on one day would find nothing.
    fn sweep(&mut self, now: i64) {
        let today = Window::Day.start_at(now);
        if self.swept < today {
            self.swept = today;
            self.seen.retain(|_, windows| windows.day.start >= today);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::Ipv6Addr;

    use super::super::window::Limits;
    use super::*;

    const NOON: i64 = 1_795_262_430;
    const DAY: i64 = 86_400;

    fn policy(address_cap: usize) -> Policy {
        Policy {
            address_cap,
            ..Policy::new(Limits {
                per_minute: 2,
                per_day: 5,
            })
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_the_anonymous_limits_and_is_never_banned() {
        let (mut addresses, policy) = (Addresses::new(), policy(10));
        let mut admitted = 0;
        for now in [NOON, NOON + 60, NOON + 120] {
            for _ in 0..100 {
                let verdict = addresses.charge(&policy, ip("192.0.2.1"), now);
                assert_ne!(verdict.outcome, Outcome::Banned);
                admitted += u64::from(verdict.is_admitted());
            }
        }
        assert_eq!(admitted, 5, "two, two, and the last of the day");
        let refused = addresses.charge(&policy, ip("192.0.2.1"), NOON + 120);
        assert_eq!(refused.outcome, Outcome::RateLimited(Window::Day));
        assert_eq!(refused.standing.limit, 5);
        assert!(
            addresses
                .charge(&policy, ip("192.0.2.2"), NOON + 120)
                .is_admitted()
        );
    }

    #[test]
    fn one_caller_is_an_ipv4_address_or_an_ipv6_network_of_64_bits() {
        let cases = [
            ("192.0.2.1", "192.0.2.2", false, "two addresses"),
            (
                "192.0.2.1",
                "::ffff:192.0.2.1",
                true,
                "IPv4, mapped into IPv6",
            ),
            ("2001:db8::1", "2001:db8::ffff:0:0:2", true, "one /64"),
            ("2001:db8::1", "2001:db8:0:1::1", false, "the next /64"),
        ];
        for (one, other, same, reason) in cases {
            assert_eq!(
                Origin::from(ip(one)) == Origin::from(ip(other)),
                same,
                "{reason}"
            );
        }
    }

    #[test]
    fn at_the_cap_newcomers_share_one_bucket_until_the_day_is_over() {
        let (mut addresses, policy) = (Addresses::new(), policy(2));
        for known in ["192.0.2.1", "192.0.2.2"] {
            assert!(addresses.charge(&policy, ip(known), NOON).is_admitted());
        }
        let admitted: Vec<bool> = (3..7)
            .map(|host| addresses.charge(&policy, Ipv4Addr::new(192, 0, 2, host).into(), NOON))
            .map(|verdict| verdict.is_admitted())
            .collect();
        assert_eq!(admitted, [true, true, false, false]);
        assert!(
            addresses
                .charge(&policy, ip("192.0.2.1"), NOON)
                .is_admitted(),
            "a known one"
        );

        assert!(
            addresses
                .charge(&policy, ip("192.0.2.9"), NOON + DAY)
                .is_admitted()
        );
        assert_eq!(addresses.len(), 1, "yesterday's are gone");
    }

    #[test]
    fn a_million_addresses_stay_within_the_cap() {
        let policy = policy(100_000);
        let mut addresses = Addresses::new();
        for network in 0..1_000_000_u128 {
            let address = Ipv6Addr::from((0x2001_0db8_u128 << 96) | (network << 64));
            addresses.charge(&policy, address.into(), NOON);
        }
        assert_eq!(addresses.len(), 100_000);
        let bytes = addresses.seen.capacity() * size_of::<(Origin, Windows)>();
        assert!(bytes < 32 * 1024 * 1024, "{bytes} bytes");
    }
}
