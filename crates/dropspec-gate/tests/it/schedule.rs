//! Random sequences of requests, clock changes and restarts: each decision is that of the model. With crashes, clock steps and
//! changes of limits as well, no key is ever admitted more often than its limits allow, in any minute and day.

use dropspec_gate::auth::ApiKey;
use dropspec_gate::rate_limit::{Decision, Outcome, Window};
use proptest::prelude::*;

use super::fixture::{Fixture, NOON, SteppedClock, custom_plan, time};
use super::model::{Expected, Model};

/// Limits that give credit in both windows, in one, and in none; and those whose leases are a single request.
const LIMITS: [(u64, u64); 5] = [(60, 1000), (100, 200), (70, 90), (10, 25), (3, 5)];

#[derive(Debug, Clone)]
enum Step {
    /// Requests at one time, while the tasks of the limiter run or not.
    Send {
        key: usize,
        cost: u64,
        requests: usize,
        runs_tasks: bool,
    },
    /// A request and, if it has to wait, another one after the wait.
    Retry { key: usize, cost: u64 },
    /// Time passes.
    Pass { seconds: i64 },
    /// The clock goes back by five seconds, as far as it can without a step.
    Back,
    /// The clock is set while the server runs.
    SetClock { seconds: i64 },
    /// The operator changes the limits of a key.
    SetLimits { key: usize, limits: usize },
    /// The process ends at once and starts again.
    Crash,
    /// The server stops properly and starts again.
    Restart,
}

fn send(key: usize, cost: u64, requests: usize, runs_tasks: bool) -> Step {
    Step::Send {
        key,
        cost,
        requests,
        runs_tasks,
    }
}

/// Steps that the model knows.
fn steps_of_model() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..LIMITS.len();
    let cost = || prop_oneof![6 => Just(1_u64), 1 => Just(0), 2 => 2_u64..=3];
    let step = prop_oneof![
        6 => (key.clone(), cost()).prop_map(|(key, cost)| send(key, cost, 1, false)),
        3 => (key.clone(), prop_oneof![4 => Just(1_u64), 1 => Just(0)], 5_usize..70)
            .prop_map(|(key, cost, requests)| send(key, cost, requests, false)),
        3 => (key, cost()).prop_map(|(key, cost)| Step::Retry { key, cost }),
        4 => (1_i64..150).prop_map(|seconds| Step::Pass { seconds }),
        1 => (1_i64..200_000).prop_map(|seconds| Step::Pass { seconds }),
        3 => Just(Step::Back),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..60)
}

fn steps_with_crashes() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..LIMITS.len();
    let step = prop_oneof![
        8 => (key.clone(), 1_u64..4, 1_usize..30, any::<bool>())
            .prop_map(|(key, cost, requests, runs_tasks)| send(key, cost, requests, runs_tasks)),
        2 => (1_i64..100).prop_map(|seconds| Step::Pass { seconds }),
        1 => (1_i64..50_000).prop_map(|seconds| Step::Pass { seconds }),
        1 => (-100_000_i64..100_000).prop_map(|seconds| Step::SetClock { seconds }),
        1 => (key.clone(), key).prop_map(|(key, limits)| Step::SetLimits { key, limits }),
        4 => Just(Step::Crash),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..40)
}

struct Run {
    fixture: Fixture,
    keys: Vec<ApiKey>,
    clock: SteppedClock,
    /// Decides as well; `None` if only the sums are checked.
    model: Option<Model>,
    /// The time of the last restart.
    started: i64,
    /// For each key, what it was admitted in the minute and in the day.
    admitted: Vec<[u64; 2]>,
}

impl Run {
    async fn start(fixture: Fixture, model: Option<Model>) -> Run {
        Run {
            keys: fixture.enterprise_keys(&LIMITS).await,
            fixture,
            // Ten seconds before midnight, so that the day changes.
            clock: SteppedClock::new(NOON + 12 * 60 * 60 - 10),
            model,
            started: NOON,
            admitted: vec![[0, 0]; LIMITS.len()],
        }
    }

    async fn take(mut self, step: Step) -> Run {
        match step {
            Step::Send {
                key,
                cost,
                requests,
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
            Step::Retry { key, cost } => {
                let first = self.send(key, cost).await;
                if let (Some(wait), Some(model)) = (first.rate_limit.retry_after, &self.model) {
                    self.clock = SteppedClock::new(model.clock + wait);
                    let second = self.send(key, cost).await;
                    assert_ne!(second.outcome, first.outcome, "it waited");
                }
            }
            Step::Pass { seconds } => {
                let before = self.clock.seconds();
                self.clock.advance(seconds);
                for (index, window) in Window::ALL.into_iter().enumerate() {
                    if window.start_at(before) != window.start_at(self.clock.seconds()) {
                        self.admitted.iter_mut().for_each(|it| it[index] = 0);
                    }
                }
            }
            Step::Back => {
                let earlier = self.started.max(self.clock.seconds() - 5);
                self.clock = SteppedClock::new(earlier);
            }
            Step::SetClock { seconds } => {
                self.clock.step(seconds);
                self.read_clock().await;
            }
            Step::SetLimits { key, limits } => {
                let (per_minute, per_day) = LIMITS[limits];
                let plan = custom_plan(per_minute, per_day);
                let id = self.fixture.account(&self.keys[key]).key_id;
                let now = time(self.clock.seconds());
                let keys = &self.fixture.keys;
                let changed = keys.change(id, move |key| key.plan = plan, now);
                changed.await.unwrap();
            }
            Step::Crash => {
                self.fixture = self.fixture.crash().await;
                self.restarted().await;
            }
            Step::Restart => {
                self.fixture = self.fixture.restart().await;
                self.restarted().await;
            }
        }
        self
    }

    async fn restarted(&mut self) {
        // A set clock that no server saw is tested apart.
        let latest = self.model.as_ref().map_or(i64::MIN, |model| model.clock);
        self.started = self.clock.seconds().max(latest);
        self.clock = SteppedClock::new(self.started);
        match &mut self.model {
            Some(model) => model.restart(),
            None => self.read_clock().await,
        }
    }

    /// Lets the server notice the time, and store what a step has changed.
    async fn read_clock(&self) {
        let account = self.fixture.account(&self.keys[0]);
        let status = self.fixture.limiter.status(&account, self.clock.time);
        status.await.unwrap();
        self.fixture.settle().await;
    }

    async fn send(&mut self, key: usize, cost: u64) -> Decision {
        let now = self.clock.seconds();
        let limits = self.fixture.account(&self.keys[key]).limits;
        let request = self.fixture.send_at(&self.keys[key], cost, self.clock.time);
        let decision = request.await;
        assert!(decision.fault.is_none(), "{decision:?}");
        if let Some(model) = &mut self.model {
            let expected = model.send(key, cost, now);
            let seen = summarize(&decision);
            assert_eq!(seen, expected, "key {key}, cost {cost}, at {now}");
        } else if decision.is_admitted() {
            for (index, window) in Window::ALL.into_iter().enumerate() {
                let admitted = &mut self.admitted[key][index];
                *admitted += cost;
                let (limit, name) = (window.limit_in(limits), window.as_str());
                assert!(
                    *admitted <= limit,
                    "key {key}: {admitted} of {limit} a {name}"
                );
            }
        }
        decision
    }
}

/// A decision of the limiter in the form of the model.
fn summarize(decision: &Decision) -> Expected {
    let info = decision.rate_limit;
    Expected {
        outcome: match decision.outcome {
            Outcome::Admitted => "admitted",
            Outcome::RateLimited(Window::Minute) => "minute limited",
            Outcome::RateLimited(Window::Day) => "day limited",
            Outcome::Banned => "banned",
            Outcome::Unavailable => "unavailable",
            Outcome::FreeRateLimited => "free limited",
            Outcome::AdmittedWithoutLease => "admitted without lease",
        },
        limit: info.limit,
        remaining: info.remaining,
        reset: info.reset,
        retry_after: info.retry_after,
    }
}

fn run(steps: Vec<Step>, fixture: impl FnOnce() -> Fixture, model: Option<Model>) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let mut run = Run::start(fixture(), model).await;
        for step in steps {
            run = run.take(step).await;
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 36, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn limiter_decides_like_the_model(steps in steps_of_model()) {
        run(steps, Fixture::new, Some(Model::new(&LIMITS)));
    }

    #[test]
    fn no_limit_is_exceeded_over_crashes(steps in steps_with_crashes()) {
        run(steps, Fixture::without_bans, None);
    }
}
