//! What every answer says about the caller's limits, whether it is a success or an error.

use std::time::Duration;

use chrono::{DateTime, Utc};
use progenitor_client::{Error, ResponseValue};
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use crate::link;

/// Where the caller stood when the service answered, in the window that has the least left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests that the window allows.
    pub limit: u64,
    /// Requests that are left in it.
    pub remaining: u64,
    /// When the window ends, to the second.
    pub reset: DateTime<Utc>,
}

/// What the headers of an answer say. Where there was no answer, or none with these headers, it is `None`; so it is for
/// a success whose body is not what the document says (`Error::InvalidResponsePayload` keeps no headers).
///
/// ```no_run
/// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::CallError> {
/// use petstore_client::Answered;
///
/// let pets = client.list_pets().send().await?;
/// if let Some(quota) = pets.quota() {
///     println!("{} of {} requests left until {}", quota.remaining, quota.limit, quota.reset);
/// }
/// # Ok(())
/// # }
/// ```
pub trait Answered {
    /// The headers of the answer.
    fn answer_headers(&self) -> Option<&HeaderMap>;

    /// The `X-RateLimit-*` headers.
    fn quota(&self) -> Option<Quota> {
        let headers = self.answer_headers()?;
        Some(Quota {
            limit: number(headers, "x-ratelimit-limit")?,
            remaining: number(headers, "x-ratelimit-remaining")?,
            reset: DateTime::from_timestamp(number(headers, "x-ratelimit-reset")?, 0)?,
        })
    }

    /// How long to stay away, from `Retry-After` (RFC 9110), in whole seconds.
    fn retry_after(&self) -> Option<Duration> {
        self.answer_headers().and_then(retry_after)
    }

    /// Where the next page of a list is, from the `Link` header (RFC 8288): absolute or from the root of the host.
    fn next_page(&self) -> Option<&str> {
        link::next(self.answer_headers()?)
    }

    /// The name by which the service's log knows the request, from `X-Request-Id`.
    fn request_id(&self) -> Option<&str> {
        text(
            self.answer_headers()?,
            HeaderName::from_static("x-request-id"),
        )
    }
}

impl<T> Answered for ResponseValue<T> {
    fn answer_headers(&self) -> Option<&HeaderMap> {
        Some(self.headers())
    }
}

impl<E> Answered for Error<E> {
    fn answer_headers(&self) -> Option<&HeaderMap> {
        match self {
            Error::ErrorResponse(answer) => Some(answer.headers()),
            Error::UnexpectedResponse(answer) => Some(answer.headers()),
            _ => None,
        }
    }
}

/// `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. This service sends seconds; what stands before it may send a
/// date, which is measured from the `Date` of the same answer, so that nobody's clock has to be right.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, RETRY_AFTER)?;
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds));
    }
    let then = DateTime::parse_from_rfc2822(value).ok()?;
    let now = DateTime::parse_from_rfc2822(text(headers, DATE)?).ok()?;
    Some((then - now).to_std().unwrap_or_default())
}

fn number<N: std::str::FromStr>(headers: &HeaderMap, name: &'static str) -> Option<N> {
    text(headers, HeaderName::from_static(name))?.parse().ok()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reqwest::StatusCode;

    fn answer(headers: &[(&'static str, &'static str)]) -> ResponseValue<()> {
        let headers = headers.iter().map(|(name, value)| {
            (
                name.parse().expect("a name"),
                value.parse().expect("a value"),
            )
        });
        ResponseValue::new((), StatusCode::OK, headers.collect())
    }

    const STANDING: [(&str, &str); 3] = [
        ("x-ratelimit-limit", "60"),
        ("x-ratelimit-remaining", "59"),
        ("x-ratelimit-reset", "1795233600"),
    ];

    #[test]
    fn every_answer_tells_where_the_caller_stands() {
        let quota = Quota {
            limit: 60,
            remaining: 59,
            reset: DateTime::from_timestamp(1_795_233_600, 0).expect("a time"),
        };
        let answer = answer(&STANDING);
        assert_eq!(answer.quota(), Some(quota));
        assert_eq!(Error::ErrorResponse(answer).quota(), Some(quota));
    }

    #[test]
    fn no_standing_is_made_up() {
        assert_eq!(answer(&STANDING[..2]).quota(), None, "a header is missing");
        let odd = [STANDING[0], STANDING[1], ("x-ratelimit-reset", "soon")];
        assert_eq!(answer(&odd).quota(), None, "no number");
        assert_eq!(
            Error::<()>::InvalidRequest(String::new()).quota(),
            None,
            "no answer"
        );
    }

    #[test]
    fn retry_after_is_seconds() {
        let past_all_numbers = "99999999999999999999999";
        let cases = [
            ("17", Some(17)),
            ("0", Some(0)),
            (past_all_numbers, Some(u64::MAX)),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (value, seconds) in cases {
            let told = answer(&[("retry-after", value)]).retry_after();
            assert_eq!(told, seconds.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn retry_after_may_be_a_date() {
        const NOON: &str = "Sat, 21 Nov 2026 12:00:00 GMT";
        let until = |then, now| answer(&[("retry-after", then), ("date", now)]).retry_after();
        let later = until("Sat, 21 Nov 2026 12:01:30 GMT", NOON);
        assert_eq!(later, Some(Duration::from_secs(90)));
        let earlier = until("Sat, 21 Nov 2026 11:00:00 GMT", NOON);
        assert_eq!(earlier, Some(Duration::ZERO));
        assert_eq!(answer(&[("retry-after", NOON)]).retry_after(), None);
    }
}
