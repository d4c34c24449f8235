//! Streams that break after their response has begun.

use std::time::Duration;

use reqwest::Request;

use crate::sending::call::Call;
use crate::sending::no_response::NoResponse;
use crate::sending::retry::{AttemptOutcome, RequestKind, RetryDecision, decide_retry};
use crate::sending::sender::Sender;

impl Sender {
    /// Waits before the request of a stream that broke is sent again: as long as the service asks for, or else as after an attempt
    /// without a response. `breaks`: how often it broke in a row without an event.
    ///
    /// # Errors
    /// What a person reads if the policy allows no further attempt, or the request is not safe to repeat.
    pub async fn wait_after_break(
        &self,
        call: &Call,
        request: &Request,
        breaks: u32,
        wait: Option<Duration>,
        reason: &str,
    ) -> Result<(), String> {
        let (policy, clock) = self.settings();
        let kind = RequestKind::of(request, call.is_gate);
        let outcome = AttemptOutcome::NoResponse(NoResponse::Lost);
        let RetryDecision::Retry(delay) = decide_retry(policy, &kind, breaks, false, &outcome)
        else {
            let why = if kind.is_safe_to_repeat() {
                format!("breaks in a row without an event: {breaks}")
            } else {
                format!("a {} is not sent again", kind.method)
            };
            return Err(format!("the stream broke: {reason}; {why}"));
        };
        // A service cannot make its clients come back without a pause.
        let delay = wait.map_or_else(|| delay.duration(), |wait| wait.max(policy.first_delay));
        if delay >= policy.deadline {
            let (asked, allowed) = (delay.as_secs(), policy.deadline.as_secs());
            return Err(format!(
                "the stream broke: {reason}; the service asks to wait {asked} s, and the retry policy allows {allowed} s"
            ));
        }
        self.observe(call, breaks, delay, reason.to_owned());
        clock.sleep(delay).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::FutureExt;
    use futures::future::BoxFuture;
    use reqwest::Method;

    use super::*;
    use crate::sending::clock::Clock;

    #[derive(Debug, Default)]
    struct Waits(Mutex<Vec<Duration>>);

    impl Clock for Waits {
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
            self.0.lock().unwrap().push(duration);
            Box::pin(std::future::ready(()))
        }
    }

    #[test]
    fn waits_as_the_service_asks_and_gives_up_by_the_policy() {
        let call = Call {
            operation: "watch",
            is_free: false,
            streams_response: true,
            is_gate: false,
        };
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
        let sender_policy = crate::sending::retry::RetryPolicy::default();
        for (method, breaks, wait, expected) in [
            (Method::GET, 1, Some(second), Some(second)),
            (Method::GET, 7, Some(second), Some(second)),
            (
                Method::GET,
                1,
                Some(Duration::ZERO),
                Some(sender_policy.first_delay),
            ),
            (Method::GET, 8, Some(second), None),
            (Method::GET, 1, Some(hour), None),
            (Method::POST, 1, Some(second), None),
        ] {
            let clock = Arc::new(Waits::default());
            let mut sender = Sender::default();
            sender.set_clock(clock.clone());
            let request = Request::new(method, "http://a.example".parse().unwrap());
            let waited = sender.wait_after_break(&call, &request, breaks, wait, "gone");
            let waited = waited.now_or_never().unwrap();
            assert_eq!(waited.is_ok(), expected.is_some(), "{waited:?}");
            let waits = clock.0.lock().unwrap().clone();
            assert_eq!(waits, Vec::from_iter(expected), "{request:?} {breaks}");
        }
    }
}
