//! Time as the retries see it, so that a test can bring its own.

use std::fmt::Debug;
use std::time::Duration;

use crate::portable::{BoxFuture, Instant, sleep};

/// A clock that only goes forward, and that can be waited for.
pub trait Clock: Debug + Send + Sync {
    /// The time since a moment that the clock chooses once.
    fn elapsed(&self) -> Duration;

    /// Ends when this much time has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// The clock of the machine: of tokio, or of the browser.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(sleep(duration))
    }
}
