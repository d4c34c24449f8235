//! Rate limits of addresses: in memory only, never banned, bounded in number.

use std::hash::RandomState;
use std::net::{IpAddr, Ipv6Addr};

use hashlink::LruCache;

use super::decision::{Decision, Outcome};
use super::now::Now;
use super::usage::Windows;
use crate::RateLimits;

/// The usage of the addresses that were seen last.
///
/// When there is no room for another address, the one seen longest ago is forgotten. A sender with more addresses than
/// that can so reset usage, but gains nothing: each of its addresses has limits of its own anyway.
#[derive(Debug)]
pub struct AddressWindows {
    /// With a random hash, as senders choose their IPv6 addresses.
    seen: LruCache<IpAddr, Windows, RandomState>,
}

impl AddressWindows {
    /// Remembers so many addresses.
    pub fn new(max_addresses: usize) -> AddressWindows {
        AddressWindows {
            seen: LruCache::with_hasher(max_addresses, RandomState::new()),
        }
    }

    /// Decides on a request from `address` at `now`, and charges its cost if it is admitted.
    pub fn charge(
        &mut self,
        limits: RateLimits,
        address: IpAddr,
        cost: u64,
        now: &Now,
    ) -> Decision {
        let sender = find_sender_address(address);
        let known = self.seen.get(&sender).copied();
        let mut windows = known.unwrap_or_else(|| Windows::unused_at(now.wall));
        windows.advance(now);
        let decision = match windows.find_exhausted(limits, cost) {
            Some(window) => {
                let info = windows.rate_limit_in(window, limits).with_retry_after(now);
                Decision::new(Outcome::RateLimited(window), info)
            }
            None => {
                windows.minute.used += cost;
                windows.day.used += cost;
                Decision::new(Outcome::Admitted, windows.rate_limit(limits))
            }
        };
        self.seen.insert(sender, windows);
        decision
    }

    /// Replaces windows that have ended, and carries the others over a clock step. A window left behind would be taken for
    /// the current one when the clock comes to its start.
    pub(super) fn advance(&mut self, now: &Now) {
        for (_, windows) in &mut self.seen {
            windows.advance(now);
        }
    }

    /// The number of addresses in memory.
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }
}

/// The address under which requests from `address` are counted: an IPv4 address itself, of an IPv6 address the first 64
/// bits, since a sender with one address of a /64 network has all of them.
pub fn find_sender_address(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(network).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::window::Window;

    const NOON: i64 = 1_795_262_430;
    const LIMITS: RateLimits = RateLimits::new(2, 5);

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn address_has_anonymous_limits_and_is_never_banned() {
        let mut addresses = AddressWindows::new(10);
        let mut admitted = 0;
        for now in [NOON, NOON + 60, NOON + 120] {
            for _ in 0..100 {
                let decision = addresses.charge(LIMITS, ip("192.0.2.1"), 1, &Now::at(now));
                assert_ne!(decision.outcome, Outcome::Banned);
                admitted += u64::from(decision.is_admitted());
            }
        }
        assert_eq!(admitted, 5, "two, two, and the last of the day");
        let refused = addresses.charge(LIMITS, ip("192.0.2.1"), 1, &Now::at(NOON + 120));
        assert_eq!(refused.outcome, Outcome::RateLimited(Window::Day));
        assert_eq!(refused.rate_limit.limit, 5);
        assert!(
            addresses
                .charge(LIMITS, ip("192.0.2.2"), 1, &Now::at(NOON + 120))
                .is_admitted()
        );
        let at_cost_2 = [0, 60, 120].map(|later| {
            let now = Now::at(NOON + later);
            let decision = addresses.charge(LIMITS, ip("192.0.2.3"), 2, &now);
            decision.is_admitted()
        });
        assert_eq!(at_cost_2, [true, true, false], "four of five a day");
    }

    #[test]
    fn origin_is_ipv4_address_or_ipv6_network_of_64_bits() {
        for (one, other, same, reason) in [
            ("192.0.2.1", "192.0.2.2", false, "two addresses"),
            ("192.0.2.1", "::ffff:192.0.2.1", true, "mapped into IPv6"),
            ("2001:db8::1", "2001:db8::ffff:0:0:2", true, "one /64"),
            ("2001:db8::1", "2001:db8:0:1::1", false, "the next /64"),
        ] {
            let is_same = find_sender_address(ip(one)) == find_sender_address(ip(other));
            assert_eq!(is_same, same, "{reason}");
        }
    }

    #[test]
    fn address_seen_longest_ago_makes_room_for_a_new_one() {
        let mut addresses = AddressWindows::new(2);
        let mut spend = |host: u8| {
            let address = Ipv4Addr::new(192, 0, 2, host).into();
            (0..3)
                .filter(|_| {
                    addresses
                        .charge(LIMITS, address, 1, &Now::at(NOON))
                        .is_admitted()
                })
                .count()
        };
        let rows = [
            (1, 2, "new"),
            (2, 2, "new"),
            (1, 0, "spent, and seen after 2"),
            (3, 2, "new, in the place of 2"),
            (1, 0, "still known"),
            (2, 2, "forgotten, in the place of 3"),
        ];
        for (host, admitted, reason) in rows {
            assert_eq!(spend(host), admitted, "{host}: {reason}");
        }
        assert_eq!(addresses.len(), 2);
    }
}
