//! Random sequences of requests, clock changes and restarts: each decision is that of the model.

use proptest::prelude::*;
use spec_gate::auth::ApiKey;
use spec_gate::rate_limit::{Decision, Outcome, Window};

use super::fixture::{Fixture, NOON};
use super::model::{Expected, Model};

/// Limits of a free key, of one with a low day limit, and of one whose leases are a single request.
const KEYS: [(u64, u64); 3] = [(60, 1000), (10, 25), (3, 5)];

#[derive(Debug, Clone)]
enum Step {
    /// One request.
    Send { key: usize, cost: u64 },
    /// Many requests at one time.
    Flood {
        key: usize,
        cost: u64,
        requests: usize,
    },
    /// A request and, if it has to wait, another one after the wait.
    Retry { key: usize, cost: u64 },
    /// The clock advances.
    Forward { seconds: i64 },
    /// The clock is set back by five seconds.
    Back,
    /// The server stops properly and starts again.
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..KEYS.len();
    let cost = || prop_oneof![6 => Just(1_u64), 1 => Just(0), 2 => 2_u64..=3];
    let step = prop_oneof![
        6 => (key.clone(), cost()).prop_map(|(key, cost)| Step::Send { key, cost }),
        3 => (key.clone(), prop_oneof![4 => Just(1_u64), 1 => Just(0)], 5_usize..70)
            .prop_map(|(key, cost, requests)| Step::Flood { key, cost, requests }),
        3 => (key, cost()).prop_map(|(key, cost)| Step::Retry { key, cost }),
        4 => (1_i64..150).prop_map(|seconds| Step::Forward { seconds }),
        1 => (1_i64..200_000).prop_map(|seconds| Step::Forward { seconds }),
        3 => Just(Step::Back),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..60)
}

struct Run {
    fixture: Fixture,
    keys: Vec<ApiKey>,
    model: Model,
    now: i64,
    /// The time of the last restart.
    started: i64,
}

impl Run {
    async fn start() -> Run {
        let fixture = Fixture::new();
        let keys = fixture.enterprise_keys(&KEYS).await;
        // Ten seconds before midnight, so that the day changes.
        Run {
            fixture,
            keys,
            model: Model::new(&KEYS),
            now: NOON + 12 * 60 * 60 - 10,
            started: NOON,
        }
    }

    async fn take(mut self, step: Step) -> Run {
        match step {
            Step::Send { key, cost } => {
                self.send(key, cost).await;
            }
            Step::Flood {
                key,
                cost,
                requests,
            } => {
                for _ in 0..requests {
                    self.send(key, cost).await;
                }
            }
            Step::Retry { key, cost } => {
                let first = self.send(key, cost).await;
                if let Some(wait) = first.retry_after {
                    self.now = self.model.clock + wait;
                    let second = self.send(key, cost).await;
                    assert_ne!(second.outcome, first.outcome, "it waited");
                }
            }
            Step::Forward { seconds } => self.now += seconds,
            Step::Back => self.now = self.started.max(self.now - 5),
            Step::Restart => {
                // A set clock that no server saw is tested apart.
                self.now = self.now.max(self.model.clock);
                self.started = self.now;
                self.fixture = self.fixture.restart().await;
                self.model.restart();
            }
        }
        self
    }

    async fn send(&mut self, key: usize, cost: u64) -> Expected {
        let expected = self.model.send(key, cost, self.now);
        let decision = self.fixture.send(&self.keys[key], cost, self.now).await;
        let seen = summarize(&decision);
        assert_eq!(seen, expected, "key {key}, cost {cost}, at {}", self.now);
        seen
    }
}

/// A decision of the limiter in the form of the model.
fn summarize(decision: &Decision) -> Expected {
    assert!(decision.fault.is_none(), "{:?}", decision.fault);
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn limiter_decides_like_the_model(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut run = Run::start().await;
            for step in steps {
                run = run.take(step).await;
            }
        });
    }
}
