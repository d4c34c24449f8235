//! Random sequences of requests, crashes, restarts, clock steps and changes of limits: no key is ever admitted more often
//! than its limits allow, in any minute and day.

use proptest::prelude::*;
use spec_gate::auth::{ApiKey, PlanLimits};
use spec_gate::rate_limit::{RateLimits, Window};

use super::fixture::{Fixture, NOON, PLANS, SteppedClock, time};

/// Limits that give credit in both windows, in one, and in none.
const LIMITS: [(u64, u64); 5] = [(60, 1000), (100, 200), (70, 90), (10, 25), (3, 5)];

#[derive(Debug, Clone)]
enum Event {
    /// Requests at one time, while the tasks of the limiter run or not.
    Flood {
        key: usize,
        requests: u64,
        cost: u64,
        runs_tasks: bool,
    },
    /// Time passes.
    Pass { seconds: i64 },
    /// The clock is set while the server runs.
    Step { seconds: i64 },
    /// The operator changes the limits of a key.
    SetLimits { key: usize, limits: usize },
    /// The process ends at once and starts again.
    Crash,
    /// The server stops properly and starts again.
    Restart,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let key = 0..LIMITS.len();
    let flood = (key.clone(), 1_u64..30, 1_u64..4, any::<bool>());
    let event = prop_oneof![
        8 => flood.prop_map(|(key, requests, cost, runs_tasks)| {
            Event::Flood { key, requests, cost, runs_tasks }
        }),
        2 => (1_i64..100).prop_map(|seconds| Event::Pass { seconds }),
        1 => (1_i64..50_000).prop_map(|seconds| Event::Pass { seconds }),
        1 => (-100_000_i64..100_000).prop_map(|seconds| Event::Step { seconds }),
        1 => (key.clone(), key).prop_map(|(key, limits)| Event::SetLimits { key, limits }),
        4 => Just(Event::Crash),
        1 => Just(Event::Restart),
    ];
    proptest::collection::vec(event, 1..40)
}

struct Run {
    fixture: Fixture,
    keys: Vec<ApiKey>,
    clock: SteppedClock,
    /// For each key, what it was admitted in the minute and in the day.
    admitted: Vec<[u64; 2]>,
}

impl Run {
    async fn start() -> Run {
        let fixture = Fixture::without_bans();
        let keys = fixture.enterprise_keys(&LIMITS).await;
        Run {
            fixture,
            keys,
            // An hour before midnight, so that the day changes.
            clock: SteppedClock::new(NOON + 11 * 60 * 60),
            admitted: vec![[0, 0]; LIMITS.len()],
        }
    }

    async fn take(mut self, event: Event) -> Run {
        match event {
            Event::Flood {
                key,
                requests,
                cost,
                runs_tasks,
            } => {
                for number in 0..requests {
                    self.send(key, cost).await;
                    // Each time costs a write to the disk.
                    if runs_tasks && number % 4 == 0 {
                        self.fixture.settle().await;
                    }
                }
            }
            Event::Pass { seconds } => {
                let before = self.clock.seconds();
                self.clock.advance(seconds);
                for (index, window) in Window::ALL.into_iter().enumerate() {
                    if window.start_at(before) != window.start_at(self.clock.seconds()) {
                        self.admitted.iter_mut().for_each(|it| it[index] = 0);
                    }
                }
            }
            Event::Step { seconds } => {
                self.clock.step(seconds);
                self.read_clock().await;
            }
            Event::SetLimits { key, limits } => {
                let (per_minute, per_day) = LIMITS[limits];
                let custom = RateLimits {
                    per_minute,
                    per_day,
                };
                let limits = PlanLimits::find(PLANS, "partner", Some(custom)).unwrap();
                let id = self.fixture.account(&self.keys[key]).key_id;
                let now = time(self.clock.seconds());
                let keys = &self.fixture.keys;
                keys.set_limits(id, limits, now).await.unwrap();
            }
            Event::Crash => {
                self.fixture = self.fixture.crash().await;
                self.clock = SteppedClock::new(self.clock.seconds());
                self.read_clock().await;
            }
            Event::Restart => {
                self.fixture = self.fixture.restart().await;
                self.clock = SteppedClock::new(self.clock.seconds());
                self.read_clock().await;
            }
        }
        self
    }

    /// Lets the server notice the time, and store what a step has changed.
    async fn read_clock(&self) {
        let account = self.fixture.account(&self.keys[0]);
        let status = self.fixture.limiter.status(&account, self.clock.time);
        status.await.unwrap();
        self.fixture.settle().await;
    }

    async fn send(&mut self, key: usize, cost: u64) {
        let limits = self.fixture.account(&self.keys[key]).limits;
        let request = self.fixture.send_at(&self.keys[key], cost, self.clock.time);
        let decision = request.await;
        assert!(decision.fault.is_none(), "{decision:?}");
        if decision.is_admitted() {
            for (index, window) in Window::ALL.into_iter().enumerate() {
                let admitted = &mut self.admitted[key][index];
                *admitted += cost;
                let limit = window.limit_in(limits);
                assert!(
                    *admitted <= limit,
                    "key {key}: {admitted} of {limit} a {}",
                    window.as_str()
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_limit_is_exceeded_over_crashes(events in events()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut run = Run::start().await;
            for event in events {
                run = run.take(event).await;
            }
        });
    }
}
