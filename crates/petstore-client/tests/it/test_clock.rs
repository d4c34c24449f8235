//! A clock whose waits end at once and are recorded.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use petstore_client::{BoxFuture, Clock};

#[derive(Clone, Debug, Default)]
pub struct TestClock(Arc<Mutex<Vec<Duration>>>);

impl TestClock {
    /// The delays, in their order.
    pub fn delays(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        self.0.lock().unwrap().iter().sum()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}
