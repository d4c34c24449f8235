//! A clock that stands still until a test moves it.

use std::sync::Mutex;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use petstore_server::clock::Clock;

/// The clock of a [`TestApp`](crate::TestApp). It starts at noon of 23 November 2026, UTC.
#[derive(Debug)]
pub struct TestClock(Mutex<DateTime<Utc>>);

impl TestClock {
    /// Lets time pass.
    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().unwrap() += by;
    }

    /// The time that it shows, in Unix seconds.
    pub fn seconds(&self) -> i64 {
        self.now().timestamp()
    }
}

impl Default for TestClock {
    fn default() -> TestClock {
        TestClock(Mutex::new(
            Utc.with_ymd_and_hms(2026, 11, 23, 12, 0, 0).unwrap(),
        ))
    }
}

impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}
