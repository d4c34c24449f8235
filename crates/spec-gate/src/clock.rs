//! The source of time. The gate reads it once per request; limiter, keys and rules get the time as an argument.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

/// A source of time.
pub trait Clock: Debug + Send + Sync {
    /// The current time.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
