//! Time as retries see it. A test can bring its own.

use std::fmt::Debug;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

/// A monotonic clock that can also wait. Tests replace it, so that retries need no real time.
///
/// A clock for tests, whose waits end at once:
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use std::time::Duration;
/// use futures::future::BoxFuture;
/// use dropspec_client::sending::Clock;
///
/// #[derive(Clone, Debug, Default)]
/// struct TestClock(Arc<Mutex<Duration>>);
///
/// impl Clock for TestClock {
///     fn elapsed(&self) -> Duration {
///         *self.0.lock().unwrap()
///     }
///
///     fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
///         *self.0.lock().unwrap() += duration;
///         Box::pin(std::future::ready(()))
///     }
/// }
///
/// let clock = TestClock::default(); // For `client.with_clock(clock.clone())`.
/// assert_eq!(clock.elapsed(), Duration::ZERO); // Grows by each wait of the client.
/// ```
pub trait Clock: Debug + Send + Sync {
    /// The time since the clock's zero, a moment that each implementation chooses.
    fn elapsed(&self) -> Duration;

    /// Waits for this duration.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// The real clock, by the timer of the tokio runtime.
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
        Box::pin(tokio::time::sleep(duration))
    }
}
