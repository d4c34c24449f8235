//! Several servers that share a ledger: together they admit what the limit allows, whatever fails.

mod by_clock;
mod engine_clock;
mod faults;
mod rules;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use dropspec_gate::rate_limit::{
    Account, Ban, Decision, Ledger, Limiter, LimiterPolicy, RateLimits, TimeSource, Window,
};
use dropspec_gate::redis_ledger::RedisLedger;
use test_redis::TestRedis;

use super::engines::{Engine, PostgresServer, RedisServer, open_redis};
use super::fixture::{FREE, NOON, at};

/// Tests each rule on these engines.
macro_rules! rules {
    ($($name:ident: $engine:ty,)*) => {
        on_engines! {
            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            $($name: $engine {
                whole_limit_is_usable_and_no_more_however_requests_are_divided,
                server_is_not_refused_while_others_sit_on_their_leases,
                remaining_never_rises_on_a_server_and_is_0_when_it_refuses,
                concurrent_requests_to_all_servers_are_admitted_up_to_the_limit,
                server_that_stops_returns_what_it_did_not_use,
                killed_server_costs_its_lease_and_delays_nobody_for_long,
                ban_holds_on_all_servers_from_the_next_request_on,
                ban_is_announced_to_servers_that_hold_leases,
            })*
        }
    };
}

rules! {
    redis: RedisServer,
    postgres: PostgresServer,
}

/// Servers that share a ledger, by the time of the test.
pub struct Servers<L> {
    limiters: Vec<Arc<Limiter<L>>>,
    ledgers: Vec<Arc<L>>,
}

impl<L: Ledger> Servers<L> {
    async fn start(count: usize, engine: &impl Engine<Ledger = L>) -> Servers<L> {
        Servers::start_with(count, engine, policy()).await
    }

    async fn start_with(
        count: usize,
        engine: &impl Engine<Ledger = L>,
        policy: LimiterPolicy,
    ) -> Servers<L> {
        let mut ledgers = Vec::new();
        for _ in 0..count {
            ledgers.push(engine.open().await);
        }
        Servers::over(ledgers, policy)
    }

    fn over(ledgers: Vec<L>, policy: LimiterPolicy) -> Servers<L> {
        let ledgers: Vec<Arc<L>> = ledgers.into_iter().map(Arc::new).collect();
        let limiter = |ledger: &Arc<L>| Arc::new(Limiter::new(Arc::clone(ledger), policy));
        Servers {
            limiters: ledgers.iter().map(limiter).collect(),
            ledgers,
        }
    }

    /// Sends a request to one of the servers.
    async fn send(&self, server: usize, account: &Account, now: i64) -> Decision {
        self.limiters[server].charge_key(account, 1, at(now)).await
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
        self.limiters.iter().map(|it| it.stats().lease_calls).sum()
    }
}

impl Servers<RedisLedger> {
    async fn on_redis(count: usize, url: &str) -> Servers<RedisLedger> {
        Servers::on_redis_with(count, url, TimeSource::Caller, policy()).await
    }

    async fn on_redis_with(
        count: usize,
        url: &str,
        time: TimeSource,
        policy: LimiterPolicy,
    ) -> Servers<RedisLedger> {
        let mut ledgers = Vec::new();
        for _ in 0..count {
            ledgers.push(open_redis(url, time).await);
        }
        Servers::over(ledgers, policy)
    }

    /// Waits until all servers can use the engine.
    async fn connected(&self) {
        for ledger in &self.ledgers {
            let mut faults = ledger.watch_fault();
            let works = faults.wait_for(Option::is_none);
            let works = tokio::time::timeout(Duration::from_secs(60), works).await;
            works.unwrap().unwrap();
        }
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
        limits: RateLimits::new(per_minute, per_day),
        ban: Ban::default(),
    }
}

#[tokio::test]
async fn windows_follow_the_clock_of_redis_however_the_clocks_of_servers_differ() {
    let Some(engine) = TestRedis::start("windows_follow_the_clock_of_redis") else {
        return;
    };
    let servers = Servers::on_redis_with(3, &engine.url(), TimeSource::Engine, policy()).await;
    check_windows_of_clocks_that_differ(&servers, 1).await;
}

#[tokio::test]
async fn windows_follow_the_clock_of_postgres_however_the_clocks_of_servers_differ() {
    let Some(engine) = PostgresServer::start("windows_follow_the_clock_of_postgres").await else {
        return;
    };
    let mut ledgers = Vec::new();
    for _ in 0..3 {
        let ledger = engine.open().await.with_time(TimeSource::Engine).await;
        ledgers.push(ledger.unwrap());
    }
    let servers = Servers::over(ledgers, policy());
    check_windows_of_clocks_that_differ(&servers, engine.new_key().await).await;
}

async fn check_windows_of_clocks_that_differ<L: Ledger>(servers: &Servers<L>, key_id: i64) {
    let account = account(key_id, 60, 1000);
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
