//! A response with its whole body.

use bytes::Bytes;
use http::HeaderMap;
use petstore_api::types::Error;
use serde::de::DeserializeOwned;

/// A response with its whole body.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Response {
    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The value of a header. Panics if the header is repeated.
    pub fn header(&self, name: &str) -> Option<&str> {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert!(values.len() <= 1, "{name} is repeated: {values:?}");
        values.first().map(|value| value.to_str().unwrap())
    }

    /// The value of a header that is an integer.
    pub fn number(&self, name: &str) -> Option<i64> {
        let text = self.header(name)?;
        let number = text.parse();
        Some(number.unwrap_or_else(|_| panic!("{name} is {text:?}")))
    }

    /// The three rate limit headers: limit, remaining, reset.
    pub fn rate_limit(&self) -> (i64, i64, i64) {
        let [limit, remaining, reset] = ["Limit", "Remaining", "Reset"].map(|name| {
            self.number(&format!("X-RateLimit-{name}"))
                .unwrap_or_else(|| panic!("X-RateLimit-{name} is missing"))
        });
        (limit, remaining, reset)
    }

    /// The status, followed by the error code if there is one: `200`, `404 pet_not_found`.
    pub fn outcome(&self) -> String {
        match self.status {
            ..400 => self.status.to_string(),
            status if self.body.is_empty() => status.to_string(),
            status => format!("{status} {}", self.json::<Error>().code),
        }
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {:?}", self.body);
        })
    }

    /// The error in the body, as `status code: message`.
    pub fn error(&self) -> String {
        let Error {
            code,
            message,
            status,
        } = self.json();
        assert_eq!(status, i64::from(self.status));
        format!("{status} {code}: {message}")
    }
}
