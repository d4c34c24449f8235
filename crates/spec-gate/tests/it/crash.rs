//! A crash can forfeit leased requests and requests on credit; it never grants requests twice.

use spec_gate::auth::PlanLimits;
use spec_gate::rate_limit::RateLimits;

use super::fixture::{Fixture, NOON, PLANS, at, time};

/// What a crash can cost a free key in the minute and in the day: a lease and its credit.
const LOSSES: (u64, u64) = (6 + 6, 100 + 20);

#[tokio::test]
async fn crash_forfeits_at_most_one_lease_and_the_credit_and_grants_nothing_twice() {
    for before in [0, 1, 3, 4, 6, 7, 30, 59, 60, 70] {
        let fixture = Fixture::without_bans();
        let key = fixture.free_key().await;
        let first = fixture.admitted_of(before, &key, NOON).await;
        let fixture = fixture.crash().await;
        let second = fixture.admitted_of(100, &key, NOON).await;
        assert!(first + second <= 60, "{first} + {second}");
        assert!(first + second >= 60 - LOSSES.0, "{first} + {second}");
    }
}

#[tokio::test]
async fn crash_forfeits_at_most_one_lease_and_the_credit_of_the_day() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    fixture.admitted_of(10, &key, NOON).await;
    let fixture = fixture.crash().await;
    let account = fixture.account(&key);
    let status = fixture.limiter.status(&account, at(NOON)).await;
    let day = status.unwrap().day;
    assert!(
        (990 - LOSSES.1..=990).contains(&day.remaining),
        "{}",
        day.remaining
    );
}

#[tokio::test]
async fn requests_on_credit_count_after_a_crash_though_the_new_limits_give_no_credit() {
    let fixture = Fixture::without_bans();
    let (first, key) = (fixture.free_key().await, fixture.free_key().await);
    // Until this is stored no credit is given.
    fixture.send(&first, 1, NOON).await;
    fixture.settle().await;
    assert_eq!(fixture.admitted_of(4, &key, NOON).await, 4);
    let custom = RateLimits {
        per_minute: 10,
        per_day: 25,
    };
    let limits = PlanLimits::find(PLANS, "partner", Some(custom)).unwrap();
    let id = fixture.account(&key).key_id;
    let changed = fixture.keys.set_limits(id, limits, time(NOON)).await;
    changed.unwrap();
    let fixture = fixture.crash().await;
    assert_eq!(fixture.admitted_of(20, &key, NOON).await, 4, "6 are lost");
    assert_eq!(
        fixture.admitted_of(20, &key, NOON + 60).await,
        1,
        "20 are lost"
    );
}

#[tokio::test]
async fn restart_forfeits_nothing() {
    let mut fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    for sent in 1..=20 {
        assert_eq!(fixture.admitted_of(1, &key, NOON).await, 1);
        fixture = fixture.restart().await;
        let account = fixture.account(&key);
        let status = fixture.limiter.status(&account, at(NOON)).await.unwrap();
        assert_eq!(
            (status.minute.remaining, status.day.remaining),
            (60 - sent, 1000 - sent)
        );
    }
}

#[tokio::test]
async fn window_goes_on_if_the_clock_was_set_back_before_the_start() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    assert_eq!(fixture.admitted_of(70, &key, NOON).await, 60);
    assert_eq!(fixture.admitted_of(70, &key, NOON + 60).await, 60);
    let fixture = fixture.crash().await;
    let refused = fixture.send(&key, 1, NOON + 55).await;
    assert!(!refused.is_admitted());
    assert_eq!(refused.rate_limit.reset, NOON + 60);
    assert_eq!(refused.rate_limit.retry_after, Some(5));
    let fixture = fixture.restart().await;
    assert_eq!(fixture.admitted_of(70, &key, NOON + 59).await, 0);
    assert_eq!(fixture.admitted_of(70, &key, NOON + 60).await, 60);
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
