//! Random sequences of requests to several servers, steps of the clock of their engine and restarts: no key is admitted more often
//! than its limits allow, in any minute and day, and none is refused requests that it has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use dropspec_gate::clock::{Clock, Timekeeper};
use dropspec_gate::rate_limit::{Account, Limiter, Outcome, Window};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::by_clock::{ByClock, EngineClock};
use super::{account, policy};
use crate::engines::{Engine, PostgresServer, RedisServer};
use crate::fixture::{NOON, at};

const SERVERS: usize = 3;
const LIMITS: [(u64, u64); 3] = [(20, 50), (7, 1000), (60, 90)];

/// Seconds by which the clock is set. Together with the time that passes it is never within two seconds of another minute, where
/// clocks count as the same.
const STEPS: [i64; 12] = [
    10, -10, 90, -90, 600, -600, 3_600, -3_600, 86_400, -86_400, 259_200, -259_200,
];

#[derive(Debug, Clone)]
enum Step {
    Send {
        key: usize,
        server: usize,
        requests: u64,
    },
    Pass(i64),
    SetClock(i64),
    /// A server stops and starts again, while the others run.
    Restart(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let send = (0..LIMITS.len(), 0..SERVERS, 1_u64..30);
    let step = prop_oneof![
        8 => send.prop_map(|(key, server, requests)| Step::Send { key, server, requests }),
        2 => (1_i64..20).prop_map(|it| Step::Pass(5 * it)),
        1 => (1_i64..10_000).prop_map(|it| Step::Pass(5 * it)),
        3 => proptest::sample::select(&STEPS[..]).prop_map(Step::SetClock),
        2 => (0..SERVERS).prop_map(Step::Restart),
    ];
    proptest::collection::vec(step, 1..40)
}

struct Run<'a, E: Engine> {
    engine: &'a E,
    clock: Arc<EngineClock>,
    servers: Vec<Limiter<ByClock<E::Ledger>>>,
    keys: Vec<Account>,
    /// A key of requests that only make a server read the clock.
    other: Account,
    /// How many minutes and days have ended, as time passed.
    ended: [u64; 2],
    /// For the minute and the day, the earliest start of those that go on in it after a step.
    since: [i64; 2],
    /// For each key and window, of each admitted request how many had ended, and the start of its own by the clock.
    admitted: BTreeMap<(usize, usize), Vec<(u64, i64)>>,
}

impl<'a, E: Engine> Run<'a, E> {
    async fn start(engine: &'a E, start: i64) -> Run<'a, E> {
        let mut keys = Vec::new();
        for (per_minute, per_day) in LIMITS {
            keys.push(account(engine.new_key().await, per_minute, per_day));
        }
        let mut run = Run {
            clock: Arc::new(EngineClock {
                start,
                state: Mutex::default(),
            }),
            servers: Vec::new(),
            keys,
            other: account(engine.new_key().await, 1_000_000, 1_000_000),
            ended: [0, 0],
            since: Window::ALL.map(|window| window.start_at(start)),
            admitted: BTreeMap::new(),
            engine,
        };
        for _ in 0..SERVERS {
            let server = run.start_server().await;
            run.servers.push(server);
        }
        run
    }

    async fn start_server(&self) -> Limiter<ByClock<E::Ledger>> {
        let ledger = ByClock {
            ledger: self.engine.open().await,
            time: Timekeeper::new(Arc::clone(&self.clock) as _),
            carried: AtomicU64::new(0),
        };
        let server = Limiter::new(Arc::new(ledger), policy());
        self.carry_over(&server, 0).await;
        server
    }

    /// Makes a server read the clock, and waits until it has told the ledger.
    async fn carry_over(&self, server: &Limiter<ByClock<E::Ledger>>, before: u64) {
        assert!(
            server
                .charge_key(&self.other, 1, at(NOON))
                .await
                .is_admitted()
        );
        while server.ledger().carried.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Send {
                key,
                server,
                requests,
            } => {
                for _ in 0..requests {
                    self.send(key, server).await;
                }
            }
            Step::Pass(seconds) => {
                let before = self.now();
                self.clock.state.lock().unwrap().0 += seconds;
                for (index, window) in Window::ALL.into_iter().enumerate() {
                    let start = window.start_at(self.now());
                    if window.start_at(before) != start {
                        self.ended[index] += 1;
                        self.since[index] = start;
                    }
                }
            }
            Step::SetClock(seconds) => {
                let carried: Vec<u64> = { self.servers.iter() }
                    .map(|it| it.ledger().carried.load(Ordering::SeqCst))
                    .collect();
                self.clock.state.lock().unwrap().1 += seconds;
                let starts = Window::ALL.map(|window| window.start_at(self.now()));
                for (start, since) in starts.into_iter().zip(&mut self.since) {
                    *since = start.min(*since);
                }
                for ((_, index), admitted) in &mut self.admitted {
                    let current = { admitted.iter_mut() }.filter(|it| it.0 == self.ended[*index]);
                    current.for_each(|(_, start)| *start = starts[*index].max(*start));
                }
                for (server, before) in self.servers.iter().zip(carried) {
                    self.carry_over(server, before).await;
                }
            }
            Step::Restart(server) => {
                self.servers[server].close().await.unwrap();
                self.servers[server] = self.start_server().await;
            }
        }
    }

    async fn send(&mut self, key: usize, server: usize) {
        let account = self.keys[key];
        let decision = self.servers[server].charge_key(&account, 1, at(NOON)).await;
        let now = self.now();
        for (index, window) in Window::ALL.into_iter().enumerate() {
            let (limit, start) = (window.limit_in(account.limits), window.start_at(now));
            let admitted = self.admitted.entry((key, index)).or_default();
            let current = |ended: &u64| *ended == self.ended[index];
            let used = admitted.iter().filter(|(ended, _)| current(ended)).count() as u64;
            if decision.is_admitted() {
                assert!(used < limit, "{account:?}: admitted after {used}");
                admitted.push((self.ended[index], start));
            } else if decision.outcome == Outcome::RateLimited(window) {
                // A window that has ended may go on, with what was leased, if a step led to a time before its start.
                let since = self.since[index];
                let goes_on = |(ended, begin): &&(u64, i64)| !current(ended) && *begin >= since;
                let others: Vec<_> = admitted.iter().filter(goes_on).collect();
                let windows = others.iter().collect::<BTreeSet<_>>().len() as u64;
                // A request that the other window refused may keep one of a lease.
                let leases = SERVERS as u64 * (1 + windows * (limit / 10).max(1));
                let most = used + others.len() as u64 + leases;
                assert!(
                    most >= limit,
                    "{account:?}: refused after {used}, at most {most}"
                );
            }
        }
        assert!(
            !matches!(decision.outcome, Outcome::Unavailable),
            "{decision:?}"
        );
    }
}

fn check<E: Engine>(test: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    let Some(engine) = runtime.block_on(E::start(test)) else {
        return;
    };
    let config = ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let start = AtomicI64::new(NOON);
    let checked = TestRunner::new(config).run(&steps(), |steps| {
        // No step leads from one case to another.
        let start = start.fetch_add(400 * 86_400, Ordering::Relaxed);
        runtime.block_on(async {
            let mut run = Run::start(&engine, start).await;
            for step in steps {
                run.take(step).await;
            }
        });
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn redis_keeps_limits_over_steps_of_its_clock() {
    check::<RedisServer>("redis_keeps_limits_over_steps");
}

#[test]
fn postgres_keeps_limits_over_steps_of_its_clock() {
    check::<PostgresServer>("postgres_keeps_limits_over_steps");
}
