//! What an observer of retries sees.

use std::sync::Arc;
use std::time::Duration;

/// A call waits before it is sent, or sent again; see `with_observer` of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryEvent {
    /// The operation, such as `list_pets`.
    pub operation: &'static str,
    /// The number of attempts so far. 0: the call waits because of the 429 of another call.
    pub attempts: u32,
    /// Why the call waits, such as `503 unavailable` or `Connection refused (os error 111)`.
    pub reason: String,
    /// How long it waits.
    pub delay: Duration,
}

/// The function of the caller that is told of each wait.
pub type Observer = Arc<dyn Fn(&RetryEvent) + Send + Sync>;
