//! The clock as the edges of the server read it. Rules, store and limiter get
//! the time as an argument.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

/// Where the server takes the time from.
pub trait Clock: Debug + Send + Sync {
    /// The present time.
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
