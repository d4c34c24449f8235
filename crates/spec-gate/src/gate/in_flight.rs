//! Counts the requests under way, so that a stop can wait for them only.

use std::time::Duration;

use tokio::sync::watch;

/// The server counts as idle when no request was in flight for this time. A request whose head has just arrived is not
/// counted yet.
const IDLE_AFTER: Duration = Duration::from_millis(250);

/// Counts the requests that are being handled.
#[derive(Debug)]
pub struct InFlight(watch::Sender<usize>);

/// Marks one request as being handled, until it is dropped.
#[derive(Debug)]
pub struct InFlightGuard<'a>(&'a InFlight);

impl InFlight {
    /// Creates a counter without requests.
    pub fn new() -> InFlight {
        InFlight(watch::Sender::new(0))
    }

    /// Counts one more request, until the returned guard is dropped.
    pub fn enter(&self) -> InFlightGuard<'_> {
        self.0.send_modify(|count| *count += 1);
        InFlightGuard(self)
    }

    /// Waits until no request has been in flight for 250 ms.
    pub async fn wait_until_idle(&self) {
        let mut count = self.0.subscribe();
        loop {
            // The sender lives as long as `self`, so the channel does not close.
            let _ = count.wait_for(|count| *count == 0).await;
            if tokio::time::timeout(IDLE_AFTER, count.changed())
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn is_idle_when_last_request_has_ended() {
        let in_flight = InFlight::new();
        let (first, second) = (in_flight.enter(), in_flight.enter());
        let mut idle = Box::pin(in_flight.wait_until_idle());
        drop(first);
        assert!(idle.as_mut().now_or_never().is_none(), "one is left");
        drop(second);
        idle.await;
    }
}
