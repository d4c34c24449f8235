//! A crash may cost a caller what was leased ahead; it never grants anything twice.

use super::fixture::{Fixture, NOON};

/// The block of the minute and of the day of a free key.
const BLOCKS: (u64, u64) = (6, 100);

#[tokio::test]
async fn a_crash_forfeits_a_block_at_most_and_grants_nothing_twice() {
    for before in [0, 1, 3, 4, 6, 7, 30, 59, 60, 70] {
        let fixture = Fixture::without_bans();
        let key = fixture.free_key().await;
        let first = fixture.admitted_of(before, &key, NOON).await;
        let fixture = fixture.crash().await;
        let second = fixture.admitted_of(100, &key, NOON).await;
        assert!(first + second <= 60, "{first} + {second}");
        assert!(first + second >= 60 - BLOCKS.0, "{first} + {second}");
    }
}

#[tokio::test]
async fn many_crashes_forfeit_a_block_each() {
    let mut fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    let mut admitted = 0;
    let mut crashes = 0;
    while admitted + crashes * BLOCKS.0 < 60 {
        admitted += fixture.admitted_of(2, &key, NOON).await;
        fixture = fixture.crash().await;
        crashes += 1;
    }
    admitted += fixture.admitted_of(100, &key, NOON).await;
    assert!(
        (60 - crashes * BLOCKS.0..=60).contains(&admitted),
        "{admitted} after {crashes}"
    );
}

#[tokio::test]
async fn the_day_forfeits_a_block_too() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    fixture.admitted_of(10, &key, NOON).await;
    let fixture = fixture.crash().await;
    let account = fixture.account(&key);
    let day = fixture.limiter.status(&account, NOON).unwrap().day;
    assert!(
        (990 - BLOCKS.1..=990).contains(&day.remaining),
        "{}",
        day.remaining
    );
}

#[tokio::test]
async fn a_clean_stop_forfeits_nothing() {
    let mut fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    for sent in 1..=20 {
        assert_eq!(fixture.admitted_of(1, &key, NOON).await, 1);
        fixture = fixture.restart().await;
        let account = fixture.account(&key);
        let status = fixture.limiter.status(&account, NOON).unwrap();
        assert_eq!(
            (status.minute.remaining, status.day.remaining),
            (60 - sent, 1000 - sent)
        );
    }
}

#[tokio::test]
async fn a_past_window_is_not_opened_again_by_a_crash_or_a_restart() {
    let fixture = Fixture::without_bans();
    let key = fixture.free_key().await;
    assert_eq!(fixture.admitted_of(70, &key, NOON).await, 60);
    assert_eq!(fixture.admitted_of(70, &key, NOON + 60).await, 60);
    let fixture = fixture.crash().await;
    let refused = fixture.send(&key, 1, NOON + 55).await;
    assert!(!refused.is_admitted());
    assert_eq!(refused.standing.reset, NOON + 120);
    assert_eq!(refused.standing.retry_after, Some(65));
    let fixture = fixture.restart().await;
    assert_eq!(fixture.admitted_of(70, &key, NOON + 59).await, 0);
    assert_eq!(fixture.admitted_of(70, &key, NOON + 120).await, 60);
}
