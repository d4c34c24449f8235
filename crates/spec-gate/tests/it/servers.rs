//! Several servers on one Redis: together they admit what the limit allows, whatever fails.

mod faults;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::future::join_all;
use spec_gate::rate_limit::{
    Account, Ban, Decision, Limiter, LimiterPolicy, Outcome, RateLimits, Window,
};
use spec_gate::redis_ledger::{RedisLedger, TimeSource};
use test_redis::TestRedis;

use super::fixture::{FREE, NOON, at};

/// Servers that share the books of an engine.
pub struct Servers(Vec<Arc<Limiter<RedisLedger>>>, Vec<Arc<RedisLedger>>);

impl Servers {
    /// Starts servers, by the time of the test.
    async fn start(count: usize, url: &str) -> Servers {
        Servers::start_with(count, url, TimeSource::Caller, policy()).await
    }

    async fn start_with(
        count: usize,
        url: &str,
        time: TimeSource,
        policy: LimiterPolicy,
    ) -> Servers {
        let mut servers = Servers(Vec::new(), Vec::new());
        for _ in 0..count {
            let ledger = RedisLedger::connect(url.parse().unwrap(), "test", time);
            // However busy the machine is.
            let ledger = ledger.await.unwrap().with_last_wait(Duration::from_secs(3));
            let ledger = Arc::new(ledger);
            let limiter = Limiter::new(Arc::clone(&ledger), policy);
            servers.0.push(Arc::new(limiter));
            servers.1.push(ledger);
        }
        servers
    }

    /// Waits until all servers can use the engine.
    async fn connected(&self) {
        for ledger in &self.1 {
            let mut faults = ledger.watch_fault();
            let works = faults.wait_for(Option::is_none);
            let works = tokio::time::timeout(Duration::from_secs(60), works).await;
            works.unwrap().unwrap();
        }
    }

    /// Sends a request to one of the servers.
    async fn send(&self, server: usize, account: &Account, now: i64) -> Decision {
        self.0[server].charge_key(account, 1, at(now)).await
    }

    /// Sends requests to a server, and returns how many were admitted.
    async fn admitted_of(&self, requests: u64, server: usize, account: &Account, now: i64) -> u64 {
        let mut admitted = 0;
        for _ in 0..requests {
            admitted += u64::from(self.send(server, account, now).await.is_admitted());
        }
        admitted
    }

    fn lease_calls(&self) -> u64 {
        self.0.iter().map(|it| it.stats().lease_calls).sum()
    }
}

pub fn policy() -> LimiterPolicy {
    LimiterPolicy {
        bans_enabled: false,
        // However busy the machine is.
        ledger_timeout: Duration::from_secs(60),
        ..LimiterPolicy::new(FREE)
    }
}

pub fn account(key_id: i64, per_minute: u64, per_day: u64) -> Account {
    Account {
        key_id,
        limits: RateLimits {
            per_minute,
            per_day,
        },
        ban: Ban::default(),
    }
}

#[tokio::test]
async fn whole_limit_is_usable_and_no_more_however_requests_are_divided() {
    let Some(engine) = TestRedis::start("whole_limit_is_usable") else {
        return;
    };
    let mut key_id = 0;
    for count in [1, 2, 4, 8] {
        for limit in [10, 60, 1000] {
            let servers = Servers::start(count, &engine.url()).await;
            // Of as many turns, how many go to the first server.
            for first in [0, count, 10 * count] {
                key_id += 1;
                let account = account(key_id, limit, 100_000);
                let (mut admitted, calls) = (0, servers.lease_calls());
                for turn in 0..3 * usize::try_from(limit).unwrap() * (1 + first / count) {
                    let server = match turn % (count + first) {
                        turn if turn < count => turn,
                        _ => 0,
                    };
                    let decision = servers.send(server, &account, NOON).await;
                    admitted += u64::from(decision.is_admitted());
                }
                assert_eq!(
                    admitted, limit,
                    "{count} servers, {first} more to the first"
                );
                println!(
                    "{count} servers, limit {limit}, {first} of {} to the first: {} calls",
                    count + first,
                    servers.lease_calls() - calls
                );
            }
        }
    }
    let statistics = engine.command(&["INFO", "commandstats"]);
    let scripts = statistics
        .lines()
        .find(|it| it.starts_with("cmdstat_evalsha"));
    println!("{}", scripts.unwrap_or_default());
}

#[tokio::test]
async fn server_is_not_refused_while_others_sit_on_their_leases() {
    let Some(engine) = TestRedis::start("server_is_not_refused") else {
        return;
    };
    let servers = Servers::start(8, &engine.url()).await;
    for (key_id, limits) in [(1, (60, 1000)), (2, (10_000, 60)), (3, (3, 3))] {
        let account = account(key_id, limits.0, limits.1);
        let limit = limits.0.min(limits.1);
        let mut admitted = 0;
        for server in 1..8 {
            admitted += servers.admitted_of(1, server, &account, NOON).await;
        }
        admitted += servers.admitted_of(limit, 0, &account, NOON).await;
        assert_eq!(admitted, limit, "{limits:?}");
        for server in 0..8 {
            let refused = servers.send(server, &account, NOON).await;
            assert!(
                matches!(refused.outcome, Outcome::RateLimited(_)),
                "{refused:?}"
            );
        }
        // All of them know that nothing is left, so a refusal needs no call.
        let calls = servers.lease_calls();
        for server in 0..8 {
            assert_eq!(servers.admitted_of(9, server, &account, NOON).await, 0);
        }
        assert_eq!(servers.lease_calls(), calls);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_requests_to_all_servers_are_admitted_up_to_the_limit() {
    let Some(engine) = TestRedis::start("concurrent_requests_to_all_servers") else {
        return;
    };
    let servers = Servers::start(8, &engine.url()).await;
    let admitted = AtomicU64::new(0);
    for limit in [1, 7, 60, 500] {
        let account = account(i64::try_from(limit).unwrap(), limit, 100_000);
        admitted.store(0, Ordering::Relaxed);
        let senders = (0..32).map(async |sender| {
            let some = servers.admitted_of(limit, sender % 8, &account, NOON).await;
            admitted.fetch_add(some, Ordering::Relaxed);
        });
        join_all(senders).await;
        assert_eq!(admitted.load(Ordering::Relaxed), limit);
    }
}

#[tokio::test]
async fn minute_and_day_end_for_all_servers() {
    let Some(engine) = TestRedis::start("minute_and_day_end") else {
        return;
    };
    let servers = Servers::start(2, &engine.url()).await;
    let account = account(1, 10, 25);
    for (now, expected) in [
        (NOON, 10),
        (NOON + 60, 10),
        (NOON + 120, 5),
        (NOON + 86_400, 10),
    ] {
        let one = servers.admitted_of(7, 0, &account, now).await;
        let other = servers.admitted_of(20, 1, &account, now).await;
        assert_eq!(one + other, expected, "at {now}");
    }
}

#[tokio::test]
async fn server_that_stops_returns_what_it_did_not_use() {
    let Some(engine) = TestRedis::start("server_that_stops") else {
        return;
    };
    let account = account(1, 60, 1000);
    let stopped = Servers::start(1, &engine.url()).await;
    assert_eq!(stopped.admitted_of(7, 0, &account, NOON).await, 7);
    stopped.0[0].close().await.unwrap();
    let servers = Servers::start(1, &engine.url()).await;
    let status = servers.0[0].status(&account, at(NOON)).await.unwrap();
    assert_eq!((status.minute.remaining, status.day.remaining), (53, 993));
}

#[tokio::test]
async fn ban_holds_on_all_servers_from_the_next_request_on() {
    let Some(engine) = TestRedis::start("ban_holds_on_all_servers") else {
        return;
    };
    let policy = LimiterPolicy {
        bans_enabled: true,
        ..policy()
    };
    let servers = Servers::start_with(3, &engine.url(), TimeSource::Caller, policy).await;
    let account = account(1, 60, 1000);
    // The second one knows the key, the third one does not.
    servers.send(1, &account, NOON).await;
    while servers.send(0, &account, NOON).await.outcome != Outcome::Banned {}
    for server in [1, 2] {
        // In the next minute it needs a lease, with which it learns of the ban.
        let decision = servers.send(server, &account, NOON + 60).await;
        assert_eq!(decision.outcome, Outcome::Banned, "server {server}");
        assert_eq!(decision.rate_limit.reset, NOON + 120);
    }
    assert!(servers.send(1, &account, NOON + 120).await.is_admitted());
}

#[tokio::test]
async fn ban_is_announced_to_servers_that_hold_leases() {
    let Some(engine) = TestRedis::start("ban_is_announced") else {
        return;
    };
    let servers = Servers::start(1, &engine.url()).await;
    let account = account(1, 60, 1000);
    servers.send(0, &account, NOON).await;
    let other = RedisLedger::connect(engine.url().parse().unwrap(), "test", TimeSource::Caller);
    let ban = Ban {
        strikes: 1,
        until: Some(NOON + 120),
        epoch: 0,
    };
    use spec_gate::rate_limit::Ledger as _;
    other.await.unwrap().record_ban(1, ban).await.unwrap();
    // The notice comes within a moment; requests of cost 0 do not spend the lease.
    let banned = async {
        while servers.0[0]
            .status(&account, at(NOON))
            .await
            .unwrap()
            .banned_until
            .is_none()
        {}
        while servers.send(0, &account, NOON).await.outcome != Outcome::Banned {}
    };
    tokio::time::timeout(Duration::from_secs(20), banned)
        .await
        .unwrap();
}

#[tokio::test]
async fn windows_follow_the_clock_of_the_engine_however_the_clocks_of_servers_differ() {
    let Some(engine) = TestRedis::start("windows_follow_the_clock_of_the_engine") else {
        return;
    };
    let servers = Servers::start_with(3, &engine.url(), TimeSource::Engine, policy()).await;
    let account = account(1, 60, 1000);
    // The minute may end during the test: then a new one begins for all.
    let mut admitted = std::collections::BTreeMap::new();
    for _ in 0..60 {
        for (server, now) in [(0, NOON), (1, NOON + 4000), (2, NOON - 86_400)] {
            let decision = servers.send(server, &account, now).await;
            let minute = Window::Minute.start_at(decision.rate_limit.reset - 1);
            *admitted.entry(minute).or_insert(0) += u64::from(decision.is_admitted());
        }
    }
    assert!(admitted.len() <= 2, "{admitted:?}");
    assert!(admitted.values().all(|it| *it <= 60), "{admitted:?}");
    assert!(admitted.values().any(|it| *it > 20), "{admitted:?}");
}
