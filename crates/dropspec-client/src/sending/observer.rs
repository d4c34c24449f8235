//! What observers see: the exchanges of a call, and its waits.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use reqwest::Request;
use reqwest::header::HeaderMap;

/// A request that was sent, and its response; see `with_exchange_observer` of the client.
#[derive(Debug)]
#[non_exhaustive]
pub struct Exchange<'a> {
    /// The operation, such as `list_pets`.
    pub operation: &'static str,
    /// The number of the attempt, counted from 1.
    pub attempt: u32,
    /// The request. Values of its headers that are marked as sensitive are credentials: do not show them. Its query may contain some, too.
    pub request: &'a Request,
    /// Status and headers of the response; `Err`: why there was none.
    pub response: Result<(StatusCode, &'a HeaderMap), String>,
    /// From sending the request to the end of the response.
    pub duration: Duration,
}

/// The function of the caller that is told of each exchange.
pub type ExchangeObserver = Arc<dyn Fn(&Exchange<'_>) + Send + Sync>;

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
