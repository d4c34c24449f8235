//! Random sequences of requests and clock steps: only passing time opens a window, and who waits as told is admitted.

use proptest::prelude::*;
use spec_gate::auth::ApiKey;
use spec_gate::rate_limit::{Outcome, Window};

use super::fixture::{Fixture, NOON, SteppedClock};

/// Limits of a free key, of one with a low day limit, and of one whose leases are a single request.
const KEYS: [(u64, u64); 3] = [(60, 1000), (10, 25), (3, 5)];

#[derive(Debug, Clone)]
enum Event {
    /// Many requests at one time.
    Flood { key: usize, requests: u64 },
    /// Requests until one is refused, and one after its wait.
    Wait { key: usize },
    /// Time passes.
    Pass { seconds: i64 },
    /// The clock is set.
    Step { seconds: i64 },
    /// The server stops properly and starts again.
    Restart,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let key = 0..KEYS.len();
    let event = prop_oneof![
        5 => (key.clone(), 1_u64..70).prop_map(|(key, requests)| Event::Flood { key, requests }),
        2 => key.prop_map(|key| Event::Wait { key }),
        3 => (1_i64..150).prop_map(|seconds| Event::Pass { seconds }),
        1 => (1_i64..100_000).prop_map(|seconds| Event::Pass { seconds }),
        3 => (-150_i64..150).prop_map(|seconds| Event::Step { seconds }),
        3 => (-200_000_i64..200_000).prop_map(|seconds| Event::Step { seconds }),
        1 => Just(Event::Restart),
    ];
    proptest::collection::vec(event, 1..40)
}

struct Run {
    fixture: Fixture,
    keys: Vec<ApiKey>,
    clock: SteppedClock,
    /// For each key and window, how many more requests may be admitted.
    rest: Vec<[u64; 2]>,
}

impl Run {
    async fn start() -> Run {
        let fixture = Fixture::without_bans();
        let keys = fixture.enterprise_keys(&KEYS).await;
        Run {
            fixture,
            keys,
            // Ten seconds before midnight, so that the day changes.
            clock: SteppedClock::new(NOON + 12 * 60 * 60 - 10),
            rest: KEYS.map(|(minute, day)| [minute, day]).to_vec(),
        }
    }

    async fn take(mut self, event: Event) -> Run {
        match event {
            Event::Flood { key, requests } => {
                for _ in 0..requests {
                    self.send(key).await;
                }
            }
            Event::Wait { key } => {
                let wait = loop {
                    if let Some(wait) = self.send(key).await {
                        break wait;
                    }
                };
                self.pass(wait);
                let again = self.send(key).await;
                // The day can be spent when the minute ends.
                assert!(again.is_none_or(|it| it > 60), "it waited, then {again:?}");
            }
            Event::Pass { seconds } => self.pass(seconds),
            Event::Step { seconds } => {
                self.clock.step(seconds);
                // The server notices it with the next reading of its clock.
                self.read_clock().await;
                self.fixture.settle().await;
            }
            Event::Restart => {
                self.fixture = self.fixture.restart().await;
                self.clock = SteppedClock::new(self.clock.seconds());
                self.read_clock().await;
                self.fixture.settle().await;
            }
        }
        self
    }

    async fn read_clock(&self) {
        let account = self.fixture.account(&self.keys[0]);
        let status = self.fixture.limiter.status(&account, self.clock.time);
        status.await.unwrap();
    }

    fn pass(&mut self, seconds: i64) {
        let before = self.clock.seconds();
        self.clock.advance(seconds);
        for (index, window) in Window::ALL.into_iter().enumerate() {
            if window.start_at(before) != window.start_at(self.clock.seconds()) {
                for (rest, limits) in self.rest.iter_mut().zip(KEYS) {
                    rest[index] = [limits.0, limits.1][index];
                }
            }
        }
    }

    /// Sends a request; if it is refused, returns its wait.
    async fn send(&mut self, key: usize) -> Option<i64> {
        let decision = self.fixture.send_at(&self.keys[key], 1, self.clock.time);
        let decision = decision.await;
        let now = self.clock.seconds();
        let info = decision.rate_limit;
        let window = match decision.outcome {
            Outcome::Admitted => {
                for rest in &mut self.rest[key] {
                    let left = rest.checked_sub(1);
                    *rest = left.unwrap_or_else(|| panic!("key {key}, at {now}: {info:?}"));
                }
                return None;
            }
            Outcome::RateLimited(window) => window,
            other => panic!("{other:?}, {:?}", decision.fault),
        };
        assert_eq!(info.reset, window.start_at(now) + window.length());
        assert_eq!(info.retry_after, Some(info.reset - now));
        info.retry_after
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_passing_time_opens_a_window(events in events()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut run = Run::start().await;
            for event in events {
                run = run.take(event).await;
            }
        });
    }
}
