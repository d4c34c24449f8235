//! Says on a terminal why nothing seems to happen while the client waits.

use std::io::{self, IsTerminal};
use std::time::Duration;

use petstore_client::clock::SystemClock;
use petstore_client::{BoxFuture, Clock};

/// Shorter waits pass unnoticed.
const NOTICED: Duration = Duration::from_secs(2);

/// The machine's clock, whose long waits are announced.
#[derive(Clone, Copy, Debug, Default)]
pub struct Announced(SystemClock);

impl Clock for Announced {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration >= NOTICED && io::stderr().is_terminal() {
            eprintln!(
                "petstorectl: trying again in {} seconds",
                duration.as_secs()
            );
        }
        self.0.sleep(duration)
    }
}
