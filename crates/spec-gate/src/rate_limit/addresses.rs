//! Rate limits of requests without a valid key, by address: in memory only, never banned, bounded in number.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

use super::decision::{Decision, Outcome};
use super::policy::LimiterPolicy;
use super::window::{Window, Windows};

/// The usage of each address that sent requests without a valid key today.
#[derive(Debug)]
pub(super) struct AddressWindows {
    seen: HashMap<IpAddr, Windows>,
    /// The windows that new addresses share when there is no room for more.
    shared: Windows,
    /// The day of the last sweep, in Unix seconds.
    swept: i64,
}

impl AddressWindows {
    pub(super) fn new() -> AddressWindows {
        AddressWindows {
            seen: HashMap::new(),
            shared: Windows::unused_at(i64::MIN / 2),
            swept: i64::MIN,
        }
    }

    /// Decides on a request without a valid key from `address` at `now` (Unix seconds, never earlier than before), and
    /// charges its cost if it is admitted.
    pub(super) fn charge(
        &mut self,
        policy: &LimiterPolicy,
        address: IpAddr,
        cost: u64,
        now: i64,
    ) -> Decision {
        let limits = policy.anonymous;
        let windows = self.windows(policy.max_addresses, find_sender_address(address), now);
        windows.advance(now);
        match windows.find_exhausted(limits, cost) {
            Some(window) => {
                let info = windows.rate_limit_in(window, limits).with_retry_after(now);
                Decision::new(Outcome::RateLimited(window), info)
            }
            None => {
                windows.minute.used += cost;
                windows.day.used += cost;
                Decision::new(Outcome::Admitted, windows.rate_limit(limits))
            }
        }
    }

    /// The number of addresses that have windows of their own.
    pub(super) fn len(&self) -> usize {
        self.seen.len()
    }

    fn windows(&mut self, max_addresses: usize, origin: IpAddr, now: i64) -> &mut Windows {
        if !self.seen.contains_key(&origin) {
            if self.seen.len() >= max_addresses {
                self.sweep(now);
            }
            if self.seen.len() >= max_addresses {
                return &mut self.shared;
            }
        }
        self.seen
            .entry(origin)
            .or_insert_with(|| Windows::unused_at(now))
    }

    /// Removes the addresses that were not seen today, as their windows have ended. It runs once a day, as a second
    /// sweep would find nothing.
    fn sweep(&mut self, now: i64) {
        let today = Window::Day.start_at(now);
        if self.swept < today {
            self.swept = today;
            self.seen.retain(|_, windows| windows.day.start >= today);
        }
    }
}

/// The address under which requests from `address` are counted: an IPv4 address itself, of an IPv6 address the first 64
/// bits, since a sender with one address of a /64 network has all of them.
fn find_sender_address(address: IpAddr) -> IpAddr {
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
    #![allow(clippy::unwrap_used)]

    use std::net::Ipv4Addr;

    use super::*;
    use spec_runtime::RateLimits;

    const NOON: i64 = 1_795_262_430;
    const DAY: i64 = 86_400;

    fn policy(max_addresses: usize) -> LimiterPolicy {
        LimiterPolicy {
            max_addresses,
            ..LimiterPolicy::new(RateLimits {
                per_minute: 2,
                per_day: 5,
            })
        }
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn address_has_anonymous_limits_and_is_never_banned() {
        let (mut addresses, policy) = (AddressWindows::new(), policy(10));
        let mut admitted = 0;
        for now in [NOON, NOON + 60, NOON + 120] {
            for _ in 0..100 {
                let decision = addresses.charge(&policy, ip("192.0.2.1"), 1, now);
                assert_ne!(decision.outcome, Outcome::Banned);
                admitted += u64::from(decision.is_admitted());
            }
        }
        assert_eq!(admitted, 5, "two, two, and the last of the day");
        let refused = addresses.charge(&policy, ip("192.0.2.1"), 1, NOON + 120);
        assert_eq!(refused.outcome, Outcome::RateLimited(Window::Day));
        assert_eq!(refused.rate_limit.limit, 5);
        assert!(
            addresses
                .charge(&policy, ip("192.0.2.2"), 1, NOON + 120)
                .is_admitted()
        );
    }

    #[test]
    fn origin_is_ipv4_address_or_ipv6_network_of_64_bits() {
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
                find_sender_address(ip(one)) == find_sender_address(ip(other)),
                same,
                "{reason}"
            );
        }
    }

    #[test]
    fn new_addresses_above_maximum_share_windows_until_next_day() {
        let (mut addresses, policy) = (AddressWindows::new(), policy(2));
        for known in ["192.0.2.1", "192.0.2.2"] {
            assert!(addresses.charge(&policy, ip(known), 1, NOON).is_admitted());
        }
        let admitted: Vec<bool> = (3..7)
            .map(|host| addresses.charge(&policy, Ipv4Addr::new(192, 0, 2, host).into(), 1, NOON))
            .map(|decision| decision.is_admitted())
            .collect();
        assert_eq!(admitted, [true, true, false, false]);
        assert!(
            addresses
                .charge(&policy, ip("192.0.2.1"), 1, NOON)
                .is_admitted(),
            "a known one"
        );

        assert!(
            addresses
                .charge(&policy, ip("192.0.2.9"), 1, NOON + DAY)
                .is_admitted()
        );
        assert_eq!(addresses.len(), 1, "yesterday's are gone");
    }

    #[test]
    fn one_million_addresses_stay_within_maximum() {
        let policy = policy(100_000);
        let mut addresses = AddressWindows::new();
        for network in 0..1_000_000_u128 {
            let address = Ipv6Addr::from((0x2001_0db8_u128 << 96) | (network << 64));
            addresses.charge(&policy, address.into(), 1, NOON);
        }
        assert_eq!(addresses.len(), 100_000);
        let bytes = addresses.seen.capacity() * size_of::<(IpAddr, Windows)>();
        assert!(bytes < 32 * 1024 * 1024, "{bytes} bytes");
    }
}
