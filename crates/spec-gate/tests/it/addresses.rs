//! Callers without a key do not stand in the way of those with one, however many there are.

use std::net::Ipv6Addr;

use super::fixture::{Fixture, NOON};

#[tokio::test]
async fn one_million_addresses_stay_within_maximum_and_do_not_affect_keys() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    for network in 0..1_000_000_u128 {
        let address = Ipv6Addr::from((0x2001_0db8_u128 << 96) | (network << 64));
        fixture.limiter.charge_address(address.into(), 1, NOON);
    }
    assert_eq!(fixture.limiter.addresses_in_memory(), 100_000);
    let newcomer = "198.51.100.1".parse().unwrap();
    assert!(
        !fixture
            .limiter
            .charge_address(newcomer, 1, NOON)
            .is_admitted()
    );
    let decision = fixture.send(&key, 1, NOON).await;
    assert!(decision.is_admitted());
    assert_eq!(decision.rate_limit.remaining, 59);
}
