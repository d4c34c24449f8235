//! Callers without a key do not stand in the way of those with one, however many there are.

use std::net::Ipv6Addr;

use super::fixture::{Fixture, NOON};

#[tokio::test]
async fn a_million_addresses_neither_outgrow_the_cap_nor_lock_out_a_valid_key() {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    for network in 0..1_000_000_u128 {
        let address = Ipv6Addr::from((0x2001_0db8_u128 << 96) | (network << 64));
        fixture.limiter.charge_address(address.into(), NOON);
    }
    assert_eq!(fixture.limiter.addresses_in_memory(), 100_000);
    let newcomer = "198.51.100.1".parse().unwrap();
    assert!(!fixture.limiter.charge_address(newcomer, NOON).is_admitted());
    let verdict = fixture.send(&key, 1, NOON).await;
    assert!(verdict.is_admitted());
    assert_eq!(verdict.standing.remaining, 59);
}
