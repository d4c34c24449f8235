//! Clocks that move only when a test says so.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use dropspec_gate::clock::Clock;
use petstore_client::BoxFuture;

/// The server clock of a [`TestApp`](crate::TestApp). It starts at noon of 23 November 2026, UTC.
#[derive(Debug)]
pub struct TestClock {
    started: DateTime<Utc>,
    /// How much time has passed, and how far the wall clock was set besides.
    state: Mutex<(TimeDelta, TimeDelta)>,
}

impl TestClock {
    /// Lets time pass.
    pub fn advance(&self, by: TimeDelta) {
        self.state.lock().unwrap().0 += by;
    }

    /// Sets the wall clock forward, or back if `by` is below 0: a clock step. No time passes.
    pub fn step(&self, by: TimeDelta) {
        self.state.lock().unwrap().1 += by;
    }

    /// The current time in Unix seconds.
    pub fn seconds(&self) -> i64 {
        self.now().timestamp()
    }
}

impl Default for TestClock {
    fn default() -> TestClock {
        TestClock {
            started: Utc.with_ymd_and_hms(2026, 11, 23, 12, 0, 0).unwrap(),
            state: Mutex::default(),
        }
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        let (passed, set) = *self.state.lock().unwrap();
        self.started + passed + set
    }

    fn monotonic(&self) -> Duration {
        self.state.lock().unwrap().0.to_std().unwrap()
    }
}

/// A client clock whose sleeps return at once and advance the server's clock instead.
#[derive(Clone, Debug)]
pub struct AutoAdvanceClock {
    server: Arc<TestClock>,
    sleeps: Arc<Mutex<Vec<Duration>>>,
}

impl AutoAdvanceClock {
    /// A clock whose sleeps advance this server clock.
    pub fn driving(server: &Arc<TestClock>) -> AutoAdvanceClock {
        AutoAdvanceClock {
            server: Arc::clone(server),
            sleeps: Arc::default(),
        }
    }

    /// The sleeps so far, in order.
    pub fn sleeps(&self) -> Vec<Duration> {
        self.sleeps.lock().unwrap().clone()
    }
}

impl petstore_client::Clock for AutoAdvanceClock {
    fn elapsed(&self) -> Duration {
        self.sleeps.lock().unwrap().iter().sum()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleeps.lock().unwrap().push(duration);
        self.server.advance(TimeDelta::from_std(duration).unwrap());
        Box::pin(std::future::ready(()))
    }
}
