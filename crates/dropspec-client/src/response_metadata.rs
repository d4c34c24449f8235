//! What the headers of every response say: rate limits, `Retry-After`, the next page, the entity tag and the request id.

use std::time::Duration;

use chrono::{DateTime, Utc};
use progenitor_client::ResponseValue;
use reqwest::header::{ETAG, HeaderMap, HeaderName};

use crate::error::Error;
use crate::error_response::ErrorResponse;
use crate::sending::link::find_next_page;
use crate::sending::{get_text, parse_retry_after};

/// The rate limit of the API key at the time of the response, in the window (minute or day) with least requests left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitInfo {
    /// Requests that the window allows.
    pub limit: u64,
    /// Requests left in the window.
    pub remaining: u64,
    /// The end of the window, to the second.
    pub reset: DateTime<Utc>,
}

/// Reads rate limit, `Retry-After`, next page, entity tag and request id from the headers of a response or error.
///
/// Each method returns `None` if there is no response or the header is missing. This includes a success whose body does
/// not match the document: `Error::InvalidResponsePayload` has no headers.
pub trait ResponseMetadata {
    /// The headers of the response.
    fn response_headers(&self) -> Option<&HeaderMap>;

    /// The rate limit in the `X-RateLimit-*` headers.
    fn rate_limit(&self) -> Option<RateLimitInfo> {
        let headers = self.response_headers()?;
        Some(RateLimitInfo {
            limit: parse_number(headers, "x-ratelimit-limit")?,
            remaining: parse_number(headers, "x-ratelimit-remaining")?,
            reset: DateTime::from_timestamp(parse_number(headers, "x-ratelimit-reset")?, 0)?,
        })
    }

    /// The wait that `Retry-After` asks for, in whole seconds (RFC 9110, section 10.2.3).
    fn retry_after(&self) -> Option<Duration> {
        self.response_headers().and_then(parse_retry_after)
    }

    /// The target of the `Link` header that leads to the next page of a list (RFC 8288): an absolute URL, or a path.
    fn next_page(&self) -> Option<&str> {
        find_next_page(self.response_headers()?)
    }

    /// The entity tag of the record or list, with its quotation marks, for `if_match` and `if_none_match` (RFC 9110,
    /// section 8.8.3).
    fn etag(&self) -> Option<&str> {
        get_text(self.response_headers()?, ETAG)
    }

    /// The `X-Request-Id` under which the service logs the request.
    fn request_id(&self) -> Option<&str> {
        get_text(
            self.response_headers()?,
            HeaderName::from_static("x-request-id"),
        )
    }
}

impl<T> ResponseMetadata for ResponseValue<T> {
    fn response_headers(&self) -> Option<&HeaderMap> {
        Some(self.headers())
    }
}

impl<E> ResponseMetadata for Error<E> {
    fn response_headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|answer| &answer.headers)
    }
}

impl<E> ResponseMetadata for ErrorResponse<E> {
    fn response_headers(&self) -> Option<&HeaderMap> {
        Some(self.headers())
    }
}

impl<E> ResponseMetadata for progenitor_client::Error<E> {
    fn response_headers(&self) -> Option<&HeaderMap> {
        match self {
            Self::ErrorResponse(response) => Some(response.headers()),
            Self::UnexpectedResponse(response) => Some(response.headers()),
            _ => None,
        }
    }
}

fn parse_number<N: std::str::FromStr>(headers: &HeaderMap, name: &'static str) -> Option<N> {
    get_text(headers, HeaderName::from_static(name))?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;

    use super::*;

    fn response(headers: &[(&'static str, &'static str)]) -> ResponseValue<()> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        ResponseValue::new((), StatusCode::OK, headers.collect())
    }

    const RATE_LIMIT: [(&str, &str); 3] = [
        ("x-ratelimit-limit", "60"),
        ("x-ratelimit-remaining", "59"),
        ("x-ratelimit-reset", "1795233600"),
    ];

    #[test]
    fn reads_rate_limit_of_success_and_of_error() {
        let expected = RateLimitInfo {
            limit: 60,
            remaining: 59,
            reset: DateTime::from_timestamp(1_795_233_600, 0).unwrap(),
        };
        let response = response(&RATE_LIMIT);
        assert_eq!(response.rate_limit(), Some(expected));
        let error = progenitor_client::Error::ErrorResponse(response);
        assert_eq!(error.rate_limit(), Some(expected));
        assert_eq!(Error::from(error).rate_limit(), Some(expected));
    }

    #[test]
    fn returns_no_rate_limit_without_complete_valid_headers() {
        let incomplete = response(&RATE_LIMIT[..2]);
        assert_eq!(incomplete.rate_limit(), None, "a header is missing");
        let invalid = [RATE_LIMIT[0], RATE_LIMIT[1], ("x-ratelimit-reset", "soon")];
        assert_eq!(response(&invalid).rate_limit(), None, "not a number");
        let unsent = Error::<()>::InvalidRequest(String::new());
        assert_eq!(unsent.rate_limit(), None, "no response");
    }

    #[test]
    fn parses_retry_after_in_seconds_or_as_date_relative_to_the_header_date() {
        const NOON: &str = "Sat, 21 Nov 2026 12:00:00 GMT";
        let date = ("date", NOON);
        for (value, date, seconds) in [
            ("17", date, Some(17)),
            ("99999999999999999999999", date, Some(u64::MAX)),
            ("-1", date, None),
            ("+1", date, None),
            ("1.5", date, None),
            ("soon", date, None),
            ("", date, None),
            ("Sat, 21 Nov 2026 12:01:30 GMT", date, Some(90)),
            ("Sat, 21 Nov 2026 11:00:00 GMT", date, Some(0)),
            (NOON, ("x-date", NOON), None),
        ] {
            let wait = response(&[("retry-after", value), date]).retry_after();
            assert_eq!(wait, seconds.map(Duration::from_secs), "{value}");
        }
    }
}
