//! Which redirects a client follows.

use reqwest::redirect::Policy;

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
