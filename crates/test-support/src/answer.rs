//! A response that was read to its end.

use bytes::Bytes;
use http::{HeaderMap, StatusCode, response};
use petstore_api::types::Error;
use serde::de::DeserializeOwned;

/// A response with its whole body.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// Puts the parts together.
    pub fn new(head: response::Parts, body: Bytes) -> Answer {
        Answer {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    /// The value of a header that comes at most once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert!(values.len() <= 1, "{name} came repeatedly: {values:?}");
        values.first().map(|value| value.to_str().unwrap())
    }

    /// The value of a header that is a whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        let text = self.header(name)?;
        let number = text.parse();
        Some(number.unwrap_or_else(|_| panic!("{name} is {text:?}")))
    }

    /// What the three headers of the limits say: limit, remaining, reset.
    pub fn standing(&self) -> (i64, i64, i64) {
        let number = |name| {
            self.number(name)
                .unwrap_or_else(|| panic!("{name} is missing"))
        };
        (
            number("X-RateLimit-Limit"),
            number("X-RateLimit-Remaining"),
            number("X-RateLimit-Reset"),
        )
    }

    /// The status and, of an error, the code.
    pub fn outcome(&self) -> String {
        let status = self.status.as_u16();
        if status < 400 || self.body.is_empty() {
            return status.to_string();
        }
        format!("{status} {}", self.json::<Error>().code)
    }

    /// The body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {:?}", self.body);
        })
    }

    /// The error that the body holds, as `status code: message`.
    pub fn error(&self) -> String {
        let Error {
            code,
            message,
            status,
        } = self.json();
        assert_eq!(status, i64::from(self.status.as_u16()));
        format!("{status} {code}: {message}")
    }
}
