//! The headers that every response carries: rate limits, when to retry, how to authenticate, deprecation.

use http::header::{HeaderMap, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};

use super::deprecation::DeprecationHeaders;
use crate::rate_limit::RateLimitInfo;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The value of `Retry-After` in every 503 response, in seconds.
const UNAVAILABLE_RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Adds the headers that every response carries: rate limit and deprecation, and those that this status needs.
pub fn apply_response_headers(
    headers: &mut HeaderMap,
    status: StatusCode,
    rate_limit: Option<&RateLimitInfo>,
    challenge: &HeaderValue,
    deprecation: Option<&DeprecationHeaders>,
) {
    if let Some(info) = rate_limit {
        headers.insert(LIMIT, info.limit.into());
        headers.insert(REMAINING, info.remaining.into());
        headers.insert(RESET, info.reset.into());
    }
    for (name, value) in deprecation.into_iter().flatten() {
        headers.append(name, value.clone());
    }
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(WWW_AUTHENTICATE, challenge.clone());
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let retry_after = rate_limit.and_then(|info| info.retry_after);
            headers.insert(RETRY_AFTER, retry_after.unwrap_or(1).into());
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(RETRY_AFTER, UNAVAILABLE_RETRY_AFTER);
        }
        _ => {}
    }
}
