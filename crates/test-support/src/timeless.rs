//! A clock for clients that moves the server's clock: what the client sleeps passes for the server at once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::TimeDelta;
use petstore_client::{BoxFuture, Clock};

use crate::TestClock;

/// The waits of a client, which take no time.
#[derive(Clone, Debug)]
pub struct Timeless {
    server: Arc<TestClock>,
    slept: Arc<Mutex<Vec<Duration>>>,
}

impl Timeless {
    /// A clock whose waits move this one.
    pub fn moving(server: &Arc<TestClock>) -> Timeless {
        Timeless {
            server: Arc::clone(server),
            slept: Arc::default(),
        }
    }

    /// The waits so far, in their order.
    pub fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap().clone()
    }
}

impl Clock for Timeless {
    fn elapsed(&self) -> Duration {
        self.slept.lock().unwrap().iter().sum()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.slept.lock().unwrap().push(duration);
        self.server.advance(TimeDelta::from_std(duration).unwrap());
        Box::pin(std::future::ready(()))
    }
}
