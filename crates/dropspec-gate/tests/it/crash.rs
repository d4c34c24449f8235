//! A crash can forfeit leased requests and requests on credit; it never grants requests twice.

use super::fixture::{Fixture, NOON};

/// What a crash can cost a free key in a minute: a lease and its credit.
const LOSSES: u64 = 6 + 6;

#[tokio::test]
async fn crash_forfeits_at_most_one_lease_and_the_credit_and_grants_nothing_twice() {
    for before in [0, 1, 3, 4, 6, 7, 30, 59, 60, 70] {
        let fixture = Fixture::without_bans();
        let key = fixture.free_key().await;
        let first = fixture.admitted_of(before, &key, NOON).await;
        let fixture = fixture.crash().await;
        let second = fixture.admitted_of(100, &key, NOON).await;
        assert!(first + second <= 60, "{first} + {second}");
        assert!(first + second >= 60 - LOSSES, "{first} + {second}");
    }
}

#[tokio::test]
async fn crash_is_counted_once_though_no_credit_is_given_before_the_next_clean_stop() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    fixture.send(&key, 1, NOON).await;
    fixture.settle().await;
    let fixture = fixture.crash().await;
    // It costs nothing, so it needs no credit.
    assert!(fixture.send(&key, 0, NOON).await.is_admitted());
    let fixture = fixture.restart().await;
    assert_eq!(fixture.admitted_of(70, &key, NOON + 60).await, 60);
}
