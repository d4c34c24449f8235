//! Counts the requests under way, so that a stop can wait for them only.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// The server counts as idle when no request was in flight for this time. A request whose head has just arrived is not
/// counted yet.
const IDLE_AFTER: Duration = Duration::from_millis(250);

/// Counts the requests that are being handled, and the WebSockets. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct InFlight(Arc<Counts>);

/// Marks one request as being handled, until it is dropped.
#[derive(Debug)]
pub struct InFlightGuard(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
    /// Wakes the one that waits for the last request.
    last_ended: Notify,
}

impl InFlight {
    /// Counts one more request, until the returned guard is dropped.
    pub fn enter(&self) -> InFlightGuard {
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        InFlightGuard(Arc::clone(&self.0))
    }

    /// The number of requests and WebSockets that are in flight.
    pub fn count(&self) -> u64 {
        // The ended ones are read first, so that it is never below zero.
        let ended = self.0.ended.load(Ordering::SeqCst);
        self.0.begun.load(Ordering::SeqCst).saturating_sub(ended)
    }

    /// Waits until no request is in flight. Only one task may wait at a time.
    pub async fn wait_until_none(&self) {
        while !self.0.is_empty() {
            self.0.last_ended.notified().await;
        }
    }

    /// Waits until no request has been in flight for 250 ms. Only one task may wait at a time.
    pub async fn wait_until_quiet(&self) {
        loop {
            self.wait_until_none().await;
            let begun = self.0.begun.load(Ordering::SeqCst);
            tokio::time::sleep(IDLE_AFTER).await;
            if begun == self.0.begun.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}

impl Counts {
    fn is_empty(&self) -> bool {
        // The ended ones are read first, so that one that begins and ends meanwhile does not hide another.
        let ended = self.ended.load(Ordering::SeqCst);
        ended == self.begun.load(Ordering::SeqCst)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
        if self.0.is_empty() {
            self.0.last_ended.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn is_idle_when_last_request_has_ended() {
        let in_flight = InFlight::default();
        let (first, second) = (in_flight.enter(), in_flight.enter());
        assert_eq!(in_flight.count(), 2);
        let mut none = Box::pin(in_flight.wait_until_none());
        drop(first);
        assert_eq!(in_flight.count(), 1);
        assert!(none.as_mut().now_or_never().is_none(), "one is left");
        drop(second);
        none.await;
        in_flight.wait_until_quiet().await;
    }

    #[tokio::test(start_paused = true)]
    async fn request_within_the_idle_time_begins_it_anew() {
        let in_flight = InFlight::default();
        let mut idle = Box::pin(in_flight.wait_until_quiet());
        assert!(idle.as_mut().now_or_never().is_none());
        tokio::time::advance(IDLE_AFTER - Duration::from_millis(1)).await;
        drop(in_flight.enter());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(idle.as_mut().now_or_never().is_none(), "it was not idle");
        tokio::time::advance(IDLE_AFTER).await;
        assert!(idle.as_mut().now_or_never().is_some());
    }
}
