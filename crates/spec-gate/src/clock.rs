//! The source of time. The gate reads it once per request; limiter, keys and rules get the time as an argument.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

/// A source of the current time: the clock of the machine, or a clock that a test controls.
pub trait Clock: Debug + Send + Sync {
    /// The current time.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine, as a [`Clock`].
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
