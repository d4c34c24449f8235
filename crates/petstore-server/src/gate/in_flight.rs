//! Counts the requests that the gate is answering, so that a stop can wait for
//! them and for nothing else.

use std::time::Duration;

use tokio::sync::watch;

/// How long no request must be in flight before the server counts as idle. A
/// request whose head has just arrived is not counted yet.
const SETTLED: Duration = Duration::from_millis(250);

/// The count of one gate.
#[derive(Debug)]
pub struct InFlight(watch::Sender<usize>);

/// One request; it counts until this is dropped.
#[derive(Debug)]
pub struct Ticket<'a>(&'a InFlight);

impl InFlight {
    /// Nothing is in flight yet.
    pub fn new() -> InFlight {
        InFlight(watch::Sender::new(0))
    }

    /// Counts one more.
    pub fn enter(&self) -> Ticket<'_> {
        self.0.send_modify(|count| *count += 1);
        Ticket(self)
    }

    /// Waits until nothing has been in flight for a moment.
    pub async fn idle(&self) {
        let mut count = self.0.subscribe();
        loop {
            // The sender lives as long as `self`, so the channel does not close.
            let _ = count.wait_for(|count| *count == 0).await;
            if tokio::time::timeout(SETTLED, count.changed())
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_idle_once_every_request_is_answered() {
        let in_flight = InFlight::new();
        let (first, second) = (in_flight.enter(), in_flight.enter());
        let mut idle = Box::pin(in_flight.idle());
        drop(first);
        assert!(idle.as_mut().now_or_never().is_none(), "one is left");
        drop(second);
        idle.await;
    }
}
