//! The key that makes a repeated request the same request.

use reqwest::header::{HeaderName, HeaderValue};
use uuid::Uuid;

/// The header of the key.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A new key: a random UUID.
pub fn new_idempotency_key() -> HeaderValue {
    let key = HeaderValue::try_from(Uuid::new_v4().to_string());
    key.expect("a UUID is hexadecimal digits and hyphens")
}
