//! The clock of an engine is set while servers use it: a real engine by a clock of the test.

use std::sync::Arc;
use std::time::SystemTime;

use dropspec_gate::rate_limit::{Account, Ledger, TimeSource};
use test_postgres::{FakeClock, TestServer};
use test_redis::TestRedis;

use super::{Servers, account, policy};
use crate::engines::open_redis;
use crate::fixture::{NOON, create_key, open_postgres};

const DAY: i64 = 86_400;

/// The clock of an engine that was at the fifth second of an hour when the test began, far from midnight.
struct EngineTime {
    clock: Arc<FakeClock>,
    ahead: i64,
}

impl EngineTime {
    fn start(test: &str) -> Option<EngineTime> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let ahead = NOON + 5 - i64::try_from(now.unwrap().as_secs()).unwrap();
        let clock = Arc::new(FakeClock::ahead_by(ahead, test)?);
        Some(EngineTime { clock, ahead })
    }

    /// Sets the clock so far from where it would be.
    fn step_to(&self, seconds: i64) {
        self.clock.set(self.ahead + seconds);
    }
}

/// Sends requests of another key until a server has seen that the clock of the engine was set.
async fn see<L: Ledger>(servers: &Servers<L>, key: i64, is_seen: impl Fn(i64) -> bool) {
    let key = account(key, 1_000_000, 10_000_000);
    while !is_seen(servers.send(0, &key, NOON).await.rate_limit.reset) {}
}

async fn remaining<L: Ledger>(servers: &Servers<L>, key: &Account) -> (u64, u64) {
    let status = servers.limiters[0].status(key, crate::fixture::at(NOON));
    let status = status.await.unwrap();
    (status.minute.remaining, status.day.remaining)
}

async fn day_forward_and_back<L: Ledger>(
    time: &EngineTime,
    open: impl AsyncFn() -> L,
    ids: [i64; 4],
) {
    let [before, during, after, _] = ids.map(|id| account(id, 100_000, 1000));
    let servers = Servers::over(vec![open().await], policy());
    assert_eq!(servers.admitted_of(10, 0, &before, NOON).await, 10);
    time.step_to(DAY);
    see(&servers, ids[3], |reset| reset > NOON + DAY / 2).await;
    assert_eq!(servers.admitted_of(10, 0, &during, NOON).await, 10);
    time.step_to(0);
    let mut sent = [10, 10, 0];
    for (key, sent) in [before, during, after].iter().zip(&mut sent) {
        assert_eq!(servers.admitted_of(10, 0, key, NOON).await, 10);
        *sent += 10;
        let (_, day) = remaining(&servers, key).await;
        assert!(day <= 1000 - *sent, "{day} after {sent}");
        // Each step may cost a lease, as a server that ends at once does.
        assert!(day >= 1000 - *sent - 200, "{day} after {sent}");
    }
    servers.limiters[0].close().await.unwrap();
    let servers = Servers::over(vec![open().await], policy());
    for (key, sent) in [before, during, after].iter().zip(sent) {
        let admitted = servers.admitted_of(1000, 0, key, NOON).await;
        assert!(
            (1000 - sent - 200..=1000 - sent).contains(&admitted),
            "{admitted} after {sent}"
        );
    }
}

async fn ten_minutes_forward_and_back<L: Ledger>(
    time: &EngineTime,
    open: impl AsyncFn() -> L,
    ids: [i64; 4],
) {
    let [before, during, after, _] = ids.map(|id| account(id, 1000, 100_000));
    let servers = Servers::over(vec![open().await], policy());
    assert_eq!(servers.admitted_of(1000, 0, &before, NOON).await, 1000);
    time.step_to(600);
    see(&servers, ids[3], |reset| reset > NOON + 600).await;
    assert_eq!(servers.admitted_of(10, 0, &during, NOON).await, 10);
    assert!(!servers.send(0, &before, NOON).await.is_admitted());
    time.step_to(0);
    assert_eq!(servers.admitted_of(500, 0, &after, NOON).await, 500);
    assert_eq!(servers.admitted_of(500, 0, &during, NOON).await, 500);
    assert!(!servers.send(0, &before, NOON).await.is_admitted());
}

macro_rules! on_both_engines {
    ($($name:ident,)*) => {
        mod redis {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(time) = EngineTime::start(stringify!($name)) else { return };
                let Some(engine) = TestRedis::start_by(&time.clock, stringify!($name)) else { return };
                let open = async || open_redis(&engine.url(), TimeSource::Engine).await;
                super::$name(&time, open, [1, 2, 3, 4]).await;
            })*
        }

        mod postgres {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(time) = EngineTime::start(stringify!($name)) else { return };
                let Some(engine) = TestServer::start_by(&time.clock, stringify!($name)) else { return };
                let open = async || {
                    let keys = open_postgres(&engine.url("postgres")).await;
                    keys.with_time(TimeSource::Engine).await.unwrap()
                };
                let keys = open().await;
                let mut ids = [0; 4];
                for id in &mut ids {
                    *id = create_key(&keys).await;
                }
                super::$name(&time, open, ids).await;
            })*
        }
    };
}

on_both_engines! {
    day_forward_and_back,
    ten_minutes_forward_and_back,
}
