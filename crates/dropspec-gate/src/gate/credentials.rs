//! The credentials of an open stream, which ends when they are no longer valid.

use std::time::Duration;

use dropshot::RequestInfo;
use http::HeaderMap;
use tokio::time::MissedTickBehavior;

use super::state::{Gate, Service};

/// How often it is checked that the key is still valid.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The credentials of a stream: the request that opened it, and its key.
pub struct Credentials {
    pub(super) headers: HeaderMap,
    pub(super) query: Option<String>,
    /// The operation by whose alternatives they are checked; without one, every scheme will do.
    pub(super) operation: Option<usize>,
    pub(super) key_id: i64,
}

impl Credentials {
    /// Those of a request.
    pub fn of(request: &RequestInfo, operation: Option<usize>, key_id: i64) -> Credentials {
        Credentials {
            headers: request.headers().clone(),
            query: request.uri().query().map(str::to_owned),
            operation,
            key_id,
        }
    }

    /// Waits until the key is no longer valid: it was revoked, it has expired, or it is banned.
    pub async fn until_invalid<S: Service>(&self, gate: &Gate<S>) {
        let mut checks = tokio::time::interval(CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            checks.tick().await;
            if !gate.are_valid(self, gate.now()).await {
                return;
            }
        }
    }
}
