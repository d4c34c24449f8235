//! The HTTP client of a generated client whose caller brings none, and which redirects it follows.

use std::time::Duration;

use reqwest::redirect::Policy;

use crate::sending::build_http_client;

/// A client that waits 15 seconds for a connection, and 60 seconds for each part of a response.
pub fn http_client(redirects: fn() -> Policy) -> reqwest::Client {
    build_http_client(|| {
        reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(15))
            .read_timeout(Duration::from_secs(60))
            .redirect(redirects())
    })
}

/// Follows redirects within the origin (scheme, host and port) of the request. One that leads elsewhere is the response:
/// reqwest would send the headers of credentials there, except `Authorization` and `Cookie`.
pub fn same_origin_redirects() -> Policy {
    Policy::custom(|attempt| {
        let origin = attempt.url().origin();
        if attempt.previous().iter().all(|url| url.origin() == origin) {
            Policy::default().redirect(attempt)
        } else {
            attempt.stop()
        }
    })
}
