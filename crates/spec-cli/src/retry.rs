//! Decides whether a request is sent again, and after which delay. Pure: [`send`](crate::send) sends and waits.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};

/// The delay before the first retry, if the service names none. It doubles with each retry.
const FIRST_DELAY: Duration = Duration::from_millis(250);

/// How often and how long a request is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// The largest number of retries.
    pub(crate) retries: u32,
    /// The longest duration of all attempts and delays.
    pub(crate) timeout: Duration,
}

/// What came of an attempt that did not succeed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attempt {
    /// A response, with its `Retry-After`.
    Response(StatusCode, Option<Duration>),
    /// No connection, so the request was not sent.
    NoConnection,
    /// No response on the connection.
    NoResponse,
}

/// Whether a request can be repeated without harm: by its method (RFC 9110, section 9.2.2), or because its key tells the
/// service that it is the same request.
pub(crate) fn is_repeatable(method: &Method, headers: &HeaderMap) -> bool {
    method.is_idempotent() || headers.contains_key("idempotency-key")
}

impl RetryPolicy {
    /// The delay before the request is sent again; `None` if it is not. `sent`: how often it was sent, at least once.
    ///
    /// A request that was refused with 429, or that found no connection, was not carried out. Any other may have been, also
    /// one with 503 and `Retry-After`, so it is only sent again if it is repeatable.
    pub(crate) fn delay(
        &self,
        is_repeatable: bool,
        attempt: Attempt,
        sent: u32,
        elapsed: Duration,
    ) -> Option<Duration> {
        let is_refused = match attempt {
            Attempt::Response(StatusCode::TOO_MANY_REQUESTS, _) | Attempt::NoConnection => true,
            Attempt::Response(StatusCode::SERVICE_UNAVAILABLE, _) | Attempt::NoResponse => false,
            Attempt::Response(..) => return None,
        };
        if sent > self.retries || !(is_refused || is_repeatable) {
            return None;
        }
        let doubled = FIRST_DELAY.saturating_mul(1 << (sent - 1).min(16));
        let delay = match attempt {
            Attempt::Response(_, Some(wanted)) => wanted,
            _ => doubled,
        };
        // A response that is known now is better than none later.
        (elapsed.saturating_add(delay) < self.timeout).then_some(delay)
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn request_is_sent_again_if_that_is_safe_and_there_is_time() {
        let policy = RetryPolicy {
            retries: 2,
            timeout: Duration::from_secs(10),
        };
        let seconds = Duration::from_secs;
        let millis = |number| Some(Duration::from_millis(number));
        let limited = |after| Attempt::Response(StatusCode::TOO_MANY_REQUESTS, after);
        let unavailable = |after| Attempt::Response(StatusCode::SERVICE_UNAVAILABLE, after);
        let failed = Attempt::Response(StatusCode::INTERNAL_SERVER_ERROR, None);
        let (get, post) = (Method::GET, Method::POST);
        for (method, attempt, sent, elapsed, delay, reason) in [
            (
                &post,
                limited(Some(seconds(3))),
                1,
                0,
                Some(seconds(3)),
                "it was refused",
            ),
            (
                &post,
                limited(None),
                2,
                0,
                millis(500),
                "the second delay is doubled",
            ),
            (
                &post,
                unavailable(Some(seconds(1))),
                1,
                0,
                None,
                "it may have been carried out",
            ),
            (
                &get,
                unavailable(Some(seconds(1))),
                1,
                0,
                Some(seconds(1)),
                "it can be repeated",
            ),
            (
                &post,
                Attempt::NoConnection,
                1,
                0,
                millis(250),
                "it was not sent",
            ),
            (
                &post,
                unavailable(None),
                1,
                0,
                None,
                "it may have been carried out",
            ),
            (
                &get,
                unavailable(None),
                1,
                0,
                millis(250),
                "it can be repeated",
            ),
            (
                &get,
                Attempt::NoResponse,
                1,
                0,
                millis(250),
                "it can be repeated",
            ),
            (
                &post,
                Attempt::NoResponse,
                1,
                0,
                None,
                "it may have been carried out",
            ),
            (&get, failed, 1, 0, None, "another attempt would fail too"),
            (&get, limited(None), 3, 0, None, "there were two retries"),
            (
                &get,
                limited(Some(seconds(5))),
                1,
                5,
                None,
                "the time would be over",
            ),
            (
                &get,
                limited(Some(Duration::MAX)),
                1,
                5,
                None,
                "the time would be over",
            ),
        ] {
            let is_repeatable = is_repeatable(method, &HeaderMap::new());
            let found = policy.delay(is_repeatable, attempt, sent, seconds(elapsed));
            assert_eq!(found, delay, "{method} {attempt:?}: {reason}");
        }
    }
    #[test]
    fn request_with_a_key_is_repeatable() {
        let mut headers = HeaderMap::new();
        assert!(!is_repeatable(&Method::POST, &headers));
        headers.insert("Idempotency-Key", HeaderValue::from_static("k"));
        assert!(is_repeatable(&Method::POST, &headers));
    }
}
