//! Clock steps over a ledger in a database: they cost at most the current window, and give nothing away.

use std::net::{IpAddr, Ipv4Addr};

use dropspec_gate::auth::ApiKey;
use dropspec_gate::rate_limit::{Decision, Outcome, Window};

use super::fixture::{Fixture, NOON, SteppedClock};

const DAY: i64 = 86_400;
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Steps in one direction and in both, within the minute and beyond the day.
const STEPS: [&[i64]; 7] = [
    &[DAY, -DAY],
    &[-DAY, DAY],
    &[DAY],
    &[-DAY],
    &[3_600, -7_200, 3_600],
    &[90, -90],
    &[10, -10],
];

/// Those who have used up their minute.
struct Users {
    fixture: Fixture,
    in_memory: ApiKey,
    in_ledger: ApiKey,
    clock: SteppedClock,
}

impl Users {
    async fn start() -> Users {
        let fixture = Fixture::without_bans();
        let (in_memory, in_ledger) = (fixture.free_key().await, fixture.free_key().await);
        assert_eq!(fixture.admitted_of(61, &in_ledger, NOON).await, 60);
        let fixture = fixture.restart().await;
        let users = Users {
            fixture,
            in_memory,
            in_ledger,
            clock: SteppedClock::new(NOON),
        };
        for user in [0, 2, 3, 4] {
            assert_eq!(users.admitted(user).await, 60);
        }
        users
    }

    async fn send(&self, user: usize) -> Decision {
        let (fixture, time) = (&self.fixture, self.clock.time);
        match user {
            0 => fixture.send_at(&self.in_memory, 1, time).await,
            1 => fixture.send_at(&self.in_ledger, 1, time).await,
            2 => fixture.send_at(&self.in_memory, 0, time).await,
            3 => fixture.limiter.charge_address(ADDRESS, 1, time),
            _ => fixture.limiter.charge_page(ADDRESS, time),
        }
    }

    /// The number of requests that are admitted to a user who sends more than the limit.
    async fn admitted(&self, user: usize) -> u64 {
        let mut admitted = 0;
        for _ in 0..70 {
            admitted += u64::from(self.send(user).await.is_admitted());
        }
        admitted
    }
}

#[tokio::test]
async fn step_opens_no_window_and_nobody_waits_for_more_than_the_current_one() {
    for steps in STEPS {
        let mut users = Users::start().await;
        let unused = users.fixture.free_key().await;
        let send_unused = async |users: &Users| {
            let sent = users.fixture.send_at(&unused, 1, users.clock.time).await;
            assert!(sent.is_admitted(), "{steps:?}");
        };
        users.clock.advance(10);
        for step in steps {
            users.clock.step(*step);
            send_unused(&users).await;
            // The key in the ledger comes into memory with the last step.
            for user in [0, 2, 3, 4] {
                let refused = users.send(user).await;
                assert!(!refused.is_admitted(), "{user}: {steps:?}");
            }
        }
        for user in 0..5 {
            let refused = users.send(user).await;
            let wait = refused.rate_limit.retry_after.unwrap();
            assert!((1..=60).contains(&wait), "{user}: {steps:?}: {wait}");
            assert_eq!(wait, refused.rate_limit.reset - users.clock.seconds());
        }
        users.fixture.settle().await;
        let wait = users.send(0).await.rate_limit.retry_after.unwrap();
        users.clock.advance(wait);
        send_unused(&users).await;
        for user in 0..5 {
            assert_eq!(users.admitted(user).await, 60, "{user}: {steps:?}");
        }
    }
}

#[tokio::test]
async fn step_opens_no_day_and_the_day_ends_at_midnight() {
    for steps in STEPS {
        let fixture = Fixture::without_bans();
        let spent = fixture.enterprise_key(60, 60).await;
        let mut clock = SteppedClock::new(NOON);
        for _ in 0..60 {
            fixture.send_at(&spent, 1, clock.time).await;
        }
        for step in steps {
            clock.step(*step);
            let refused = fixture.send_at(&spent, 1, clock.time).await;
            assert_eq!(refused.outcome, Outcome::RateLimited(Window::Day));
            let midnight = clock.seconds() - clock.seconds() % DAY + DAY;
            assert_eq!(refused.rate_limit.reset, midnight, "{steps:?}");
            fixture.settle().await;
        }
        clock.advance(DAY - clock.seconds() % DAY - 1);
        let last = fixture.send_at(&spent, 1, clock.time).await;
        assert_eq!(last.rate_limit.retry_after, Some(1), "{steps:?}");
        clock.advance(1);
        let next = fixture.send_at(&spent, 1, clock.time).await;
        assert!(next.is_admitted(), "{steps:?}: {next:?}");
    }
}

#[tokio::test]
async fn address_left_behind_by_a_step_is_not_charged_when_the_clock_comes_there() {
    let fixture = Fixture::without_bans();
    let mut clock = SteppedClock::new(NOON + DAY);
    let send = |clock: &SteppedClock| fixture.limiter.charge_address(ADDRESS, 1, clock.time);
    while send(&clock).is_admitted() {}
    clock.step(-600);
    fixture.limiter.charge_page(ADDRESS, clock.time);
    clock.advance(600);
    assert!(send(&clock).is_admitted());
}

#[tokio::test]
async fn client_that_waits_as_told_is_never_banned() {
    let fixture = Fixture::new();
    let key = fixture.enterprise_key(60, 100_000).await;
    let mut clock = SteppedClock::new(NOON);
    let steps = STEPS.iter().copied().flatten();
    for (number, step) in steps.cycle().take(100).enumerate() {
        for _ in 0..(number % 90) {
            let decision = fixture.send_at(&key, 1, clock.time).await;
            match decision.rate_limit.retry_after {
                None => assert!(decision.is_admitted()),
                Some(wait) => {
                    assert_eq!(decision.outcome, Outcome::RateLimited(Window::Minute));
                    assert_eq!(wait, decision.rate_limit.reset - clock.seconds());
                    assert!((1..=60).contains(&wait), "{wait}");
                    clock.advance(wait);
                    let again = fixture.send_at(&key, 1, clock.time).await;
                    assert!(again.is_admitted(), "{again:?}");
                }
            }
        }
        clock.step(*step);
    }
    assert_eq!(fixture.limiter.stats().bans, 0);
}

/// A key that was banned for two minutes at noon, in memory or only in the ledger.
async fn banned_key(only_in_ledger: bool) -> (Fixture, ApiKey) {
    let fixture = Fixture::new();
    let key = fixture.free_key().await;
    while fixture.send(&key, 1, NOON).await.outcome != Outcome::Banned {}
    let fixture = if only_in_ledger {
        fixture.restart().await
    } else {
        fixture
    };
    (fixture, key)
}

#[tokio::test]
async fn ban_keeps_its_remaining_time_over_steps() {
    for only_in_ledger in [false, true] {
        for steps in STEPS {
            let (fixture, key) = banned_key(only_in_ledger).await;
            let other = fixture.free_key().await;
            let mut clock = SteppedClock::new(NOON + 30);
            fixture.send_at(&other, 1, clock.time).await;
            for step in steps {
                clock.step(*step);
                fixture.send_at(&other, 1, clock.time).await;
            }
            clock.advance(30);
            let banned = fixture.send_at(&key, 1, clock.time).await;
            assert_eq!(banned.outcome, Outcome::Banned, "{steps:?}");
            assert_eq!(banned.rate_limit.retry_after, Some(60), "{steps:?}");
            clock.advance(60);
            let after = fixture.send_at(&key, 1, clock.time).await;
            assert!(after.is_admitted(), "{steps:?}: {after:?}");
            // Nothing brings it back.
            clock.step(-3_600);
            clock.step(10);
            for _ in 0..2 {
                assert!(fixture.send_at(&key, 1, clock.time).await.is_admitted());
                clock.step(5);
            }
        }
    }
}

#[tokio::test]
async fn ban_from_before_a_correction_while_stopped_lasts_once_as_long_as_its_strikes_allow() {
    for ahead in [DAY, 365 * DAY] {
        let (fixture, key) = banned_key(false).await;
        let mut clock = SteppedClock::new(NOON);
        clock.step(ahead);
        let banned = fixture.send_at(&key, 1, clock.time).await;
        assert_eq!(banned.rate_limit.retry_after, Some(120));
        let fixture = fixture.restart().await;
        let banned = fixture.send(&key, 1, NOON).await;
        assert_eq!(banned.rate_limit.retry_after, Some(120), "{ahead}");
        let fixture = fixture.restart().await;
        assert!(fixture.send(&key, 1, NOON + 120).await.is_admitted());
        let fixture = fixture.restart().await;
        assert!(fixture.send(&key, 1, NOON + 180).await.is_admitted());
    }
}

#[tokio::test]
async fn usage_from_before_a_correction_while_stopped_counts_until_its_window_ends() {
    for crashes in [false, true] {
        let fixture = Fixture::without_bans();
        let key = fixture.free_key().await;
        let ledger_only = fixture.free_key().await;
        let mut clock = SteppedClock::new(NOON);
        fixture.send_at(&key, 1, clock.time).await;
        clock.step(DAY);
        for key in [&key, &ledger_only] {
            while fixture.send_at(key, 1, clock.time).await.is_admitted() {}
        }
        let fixture = if crashes {
            fixture.crash().await
        } else {
            fixture.restart().await
        };
        // The clock was corrected meanwhile.
        let refused = fixture.send(&key, 1, NOON + 20).await;
        assert_eq!(refused.rate_limit.retry_after, Some(40));
        let status = async |now| {
            let account = fixture.account(&ledger_only);
            let status = fixture.limiter.status(&account, super::fixture::at(now));
            let status = status.await.unwrap();
            (status.minute.remaining, status.day.remaining)
        };
        let (minute, day) = status(NOON + 20).await;
        assert_eq!(minute, 0);
        assert!(
            (820..=940).contains(&day),
            "{day}: a lease and the credit can be lost"
        );
        fixture.settle().await;
        assert_eq!(fixture.admitted_of(70, &key, NOON + 60).await, 60);
        assert_eq!(status(NOON + 60).await, (60, day));
        let midnight = NOON + DAY / 2;
        assert_eq!(status(midnight).await, (60, 1000));
        assert_eq!(status(NOON + DAY).await, (60, 1000));
    }
}
