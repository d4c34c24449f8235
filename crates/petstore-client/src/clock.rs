//! Time as the retries see it, so that a test can bring its own.

use std::fmt::Debug;
use std::time::Duration;

use crate::portable::{BoxFuture, Instant, sleep};

/// A clock that only goes forward, and that can be waited for.
///
/// One for tests, by which every wait is over at once:
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use std::time::Duration;
/// use petstore_client::{BoxFuture, Client, Clock};
///
/// #[derive(Clone, Debug, Default)]
/// struct Waited(Arc<Mutex<Duration>>);
///
/// impl Clock for Waited {
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
/// let clock = Waited::default();
/// let client = Client::new("http://127.0.0.1:8080", "pst_…").with_clock(clock.clone());
/// assert_eq!(clock.elapsed(), Duration::ZERO); // Grows with what the client waits for.
/// ```
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
