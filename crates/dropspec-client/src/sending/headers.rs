//! Headers of calls: the key that makes a repeated request the same request, and the wait that a service asks for.

use std::time::Duration;

use chrono::DateTime;
use reqwest::header::{DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use uuid::Uuid;

/// The header of the key.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A new key: a random UUID.
pub fn new_idempotency_key() -> HeaderValue {
    let key = HeaderValue::try_from(Uuid::new_v4().to_string());
    key.expect("a UUID is hexadecimal digits and hyphens")
}

/// The wait that `Retry-After` asks for, in whole seconds (RFC 9110, section 10.2.3). A date is relative to the header `Date`.
pub fn parse_retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = get_text(headers, RETRY_AFTER)?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds));
    }
    let end = DateTime::parse_from_rfc2822(value).ok()?;
    let now = DateTime::parse_from_rfc2822(get_text(headers, DATE)?).ok()?;
    Some((end - now).to_std().unwrap_or_default())
}

pub(crate) fn get_text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}
