//! A clock that never makes a test wait: what is slept passes at once, and is written down.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use petstore_client::{BoxFuture, Clock};

#[derive(Clone, Debug, Default)]
pub struct Timeless(Arc<Mutex<Vec<Duration>>>);

impl Timeless {
    /// The waits, in their order.
    pub fn slept(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl Clock for Timeless {
    fn elapsed(&self) -> Duration {
        self.0.lock().unwrap().iter().sum()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}
