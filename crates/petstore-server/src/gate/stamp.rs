//! Adds what every answer carries, whatever it is: where the caller stands, when
//! to come back, how to identify, and whether the operation is on its way out.

use http::header::{HeaderMap, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};

use super::lifecycle::Lifecycle;
use crate::rate_limit::Standing;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The challenge of a 401 (RFC 9110, section 11.6.1). No scheme is registered for
/// a key in a header of its own.
const CHALLENGE: HeaderValue = HeaderValue::from_static("ApiKey header=\"X-API-Key\"");

/// What a client waits after a 503 before it tries again, in seconds.
const PAUSE: HeaderValue = HeaderValue::from_static("1");

/// Stamps an answer with this status.
pub fn stamp(
    headers: &mut HeaderMap,
    status: StatusCode,
    standing: &Standing,
    lifecycle: Option<&Lifecycle>,
) {
    headers.insert(LIMIT, standing.limit.into());
    headers.insert(REMAINING, standing.remaining.into());
    headers.insert(RESET, standing.reset.into());
    if let Some(lifecycle) = lifecycle {
        lifecycle.stamp(headers);
    }
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, CHALLENGE);
        }
        StatusCode::TOO_MANY_REQUESTS => {
            headers.insert(RETRY_AFTER, standing.retry_after.unwrap_or(1).into());
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, PAUSE);
        }
        _ => {}
    }
}
